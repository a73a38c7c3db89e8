"""The lab builds homes, routers and an Internet out of network namespaces, in which the real
commands play. Run `python -m tests.lab`; README.md in this folder says how.

    topology    a world as plain values, and the commands that build it
    homes       the homes and routers that worlds consist of
    scene       a scene: a world, what is typed, what happens meanwhile, the expected outcome
    scenes      all of them
    line        a process that simulates a long line
    namespaces  builds a world and takes it down
    reading     reads what the commands print
    play        plays one scene
    table       the outcome of all scenes
"""
