"""Which friends are remembered when a player meets very many, for example at a club."""

from ginpeer.store import Home, peers


def test_strangers_drive_out_no_friend_whom_we_call_by_a_name(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "_MAX_PEERS", 3)
    time = iter(range(0, 100_000, 100))
    known = Home(tmp_path).known_peers(lambda: next(time))
    keys = [bytes([number]) * 32 for number in range(6)]
    known.remember(keys[0], "192.0.2.1:4466", "Ann")
    known.rename(keys[0], "Anna")
    for key in keys[1:]:
        known.remember(key, "192.0.2.2:4466", "Guest")
    assert [peer.key for peer in known.all()] == [keys[5], keys[4], keys[0]]
