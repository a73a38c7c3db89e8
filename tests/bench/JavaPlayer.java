import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;

import ginrummy.Card;
import ginrummy.GinRummyPlayer;

/** Lets tests/bench/java_player.py play against a player of the EAAI challenge. Each request is a line,
 *  and each question is answered with a line. A card is written like 7D, and - is an unknown card. */
class JavaPlayer {
    private static final String ANSWER = "= "; // players may print something themselves

    public static void main(String[] arguments) throws Exception {
        GinRummyPlayer player = null;
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("game")) {
                Class<?> named = Class.forName(arguments[0]);
                player = (GinRummyPlayer) named.getDeclaredConstructor().newInstance();
                continue;
            }
            String answer = answer(player, words);
            if (answer != null) System.out.println(ANSWER + answer);
        }
    }

    private static String answer(GinRummyPlayer player, String[] words) {
        switch (words[0]) {
            case "start":
                Card[] dealt = new Card[words.length - 3];
                for (int at = 0; at < dealt.length; at++) dealt[at] = card(words[at + 3]);
                player.startGame(number(words[1]), number(words[2]), dealt);
                return null;
            case "upcard":
                return player.willDrawFaceUpCard(card(words[1])) ? "take" : "leave";
            case "draw":
                player.reportDraw(number(words[1]), card(words[2]));
                return null;
            case "choose":
                return player.getDiscard().toString();
            case "discard":
                player.reportDiscard(number(words[1]), card(words[2]));
                return null;
            case "knocks":
                return player.getFinalMelds() == null ? "no" : "yes";
            case "scores":
                player.reportScores(new int[] {number(words[1]), number(words[2])});
                return null;
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static int number(String word) {
        return Integer.parseInt(word);
    }

    private static Card card(String word) {
        return word.equals("-") ? null : Card.strCardMap.get(word);
    }
}
