import js from "@eslint/js";

export default [
  { ignores: ["verifier/dist", "verifier/node_modules"] },
  js.configs.recommended,
  {
    rules: {
      "no-undef": "off", // tsc reports these
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
    },
  },
];
