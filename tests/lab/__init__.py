"""The lab: homes, routers and an Internet out of network namespaces, in which the real commands
play. `python -m tests.lab`; CONTRIBUTING.md says how.

    topology    a world as plain values, and the commands that build it
    homes       the homes and routers of which worlds are made
    scene       a scene: a world, what is typed, what happens meanwhile, what must come of it
    scenes      all of them
    line        a process that stands in for a long way
    namespaces  builds a world and takes it down
    reading     what the commands print
    play        plays one scene
    table       what came of all of them
"""
