"""The identity key's file: unencrypted, encrypted with a passphrase, and changed from one to the
other."""

import random
import stat
import sys
import time
import unicodedata

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from ginpeer.store import Home, StoreError, files, identity_file
from ginpeer.store.identity_file import SealedKey, check_new_passphrase, normalised
from protocol.crypto.identity import IdentityKey
from tests.faults.disk import Crash, Disk, faulty
from tests.store.failure import failure

posix = pytest.mark.skipif(sys.platform == "win32", reason="a means of POSIX systems")
CHEAP = 14
"""The lowest accepted cost: 16 MiB of memory instead of 128."""
WORDS = "four words in a row"
KEY = IdentityKey(bytes(range(32)))


def rng(seed=1):
    return random.Random(seed).randbytes


@pytest.fixture
def cheap(monkeypatch):
    monkeypatch.setattr(identity_file, "COST", CHEAP)


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


def put(home, data):
    home.path.mkdir(exist_ok=True)
    home.identity_file.path.write_bytes(data)


def sealed(passphrase=WORDS):
    return SealedKey.seal(KEY, passphrase, rng(), CHEAP).encode()


# The format


def test_a_sealed_key_is_opened_only_by_its_passphrase():
    data = sealed()
    assert SealedKey.parse(data).encode() == data
    assert SealedKey.parse(data).unseal(WORDS).secret_seed == KEY.secret_seed
    for other in (WORDS + " ", WORDS.upper(), WORDS[:-1]):
        assert failure(SealedKey.parse(data).unseal, other) == "wrong-passphrase"
    for encoded in (KEY.secret_seed, KEY.secret_seed.hex().encode(), WORDS.encode()):
        assert encoded not in data


def test_the_file_format_matches_its_description():
    """The test decrypts it with only RFC 7914 and RFC 8439, at the cost stated in the file."""
    assert identity_file.COST == 17
    data = sealed()
    kind, kdf, cipher = data.decode("ascii").splitlines()
    name, cost, block, parallel, salt = kdf.split(" ")
    assert (kind, name, cost, block, parallel) == ("ginkey1", "scrypt", "14", "8", "1")
    assert bytes.fromhex(salt) == rng()(16)
    opened = Scrypt(salt=bytes.fromhex(salt), length=32, n=2**14, r=8, p=1).derive(WORDS.encode())
    name, box = cipher.split(" ")
    assert name == "chacha20-poly1305"
    header = data[: -len(box) - 1]
    key = ChaCha20Poly1305(opened).decrypt(bytes(12), bytes.fromhex(box), header)
    assert key == KEY.secret_seed


def test_any_changed_byte_of_the_file_is_refused():
    """It may be refused before or after the key is derived, but never yields an identity."""
    data, refused = sealed(), set()
    lines = data.splitlines(keepends=True)
    for at in (0, 6, 7, *range(8, len(lines[0] + lines[1]) + 20, 5), len(data) - 40, len(data) - 2):
        changed = bytearray(data)
        changed[at] = ord("1") if changed[at] != ord("1") else ord("2")
        try:
            SealedKey.parse(bytes(changed)).unseal(WORDS)
        except ValueError:
            refused.add("unreadable")
        except StoreError as why:
            refused.add(why.code)
        else:
            pytest.fail(f"byte {at} does not count")
    assert refused == {"unreadable", "wrong-passphrase"}


@pytest.mark.parametrize("cut", [6, 60, -2])
def test_a_truncated_file_is_reported_without_asking_for_the_passphrase(home, cut):
    data = sealed()[:cut]
    put(home, data)
    assert failure(home.identity, rng(), never_asked) == "bad-identity-file"
    assert home.identity_file.path.read_bytes() == data


@pytest.mark.parametrize("cost", [b"13", b"21", b"99", b"017", b"170"])
def test_a_cost_that_needs_too_much_memory_is_refused_at_once(home, cost):
    put(home, sealed().replace(b"scrypt 14", b"scrypt " + cost))
    began = time.monotonic()
    assert failure(home.identity, rng(), never_asked) == "bad-identity-file"
    assert time.monotonic() - began < 5  # if accepted, it would take at least 2^10 times as long


def test_other_block_sizes_versions_and_ciphers_are_refused(home):
    for old, new, told in (
        (b" 8 1 ", b" 9 1 ", "damaged"),
        (b" 8 1 ", b" 8 99999999 ", "damaged"),
        (b"ginkey1", b"ginkey2", "an unknown version"),
        (b"ginkey1", b"ginkey10", "an unknown version"),
        (b"chacha20-poly1305", b"none", "damaged"),
    ):
        put(home, sealed().replace(old, new))
        with pytest.raises(StoreError, match=told) as refused:
            home.identity(rng(), never_asked)
        assert refused.value.code == "bad-identity-file"


def test_line_ends_of_another_system_do_no_harm():
    data = sealed().replace(b"\n", b"\r\n")
    assert SealedKey.parse(data).unseal(WORDS).public == KEY.public


def test_too_little_memory_gives_a_sentence(monkeypatch):
    def greedy(**_):
        raise MemoryError("Not enough memory")

    data = sealed()
    monkeypatch.setattr(identity_file, "Scrypt", greedy)
    with pytest.raises(StoreError) as failed:
        SealedKey.parse(data).unseal(WORDS)
    assert failed.value.code == "out-of-memory"
    assert "16 MiB" in failed.value.sentence


# Passphrases


def test_different_encodings_of_a_passphrase_are_the_same():
    typed = "Zoë fährt 2 Kilometer"
    spellings = {
        unicodedata.normalize("NFC", typed),
        unicodedata.normalize("NFD", typed),
        typed.replace(" ", "\N{NO-BREAK SPACE}"),
        typed.replace(" ", "\N{IDEOGRAPHIC SPACE}"),
        typed.replace("2", "\N{FULLWIDTH DIGIT TWO}").replace("K", "\N{KELVIN SIGN}"),
    }
    assert len(spellings) == 5
    assert {normalised(spelling) for spelling in spellings} == {typed.encode()}
    assert normalised("şifre parolam كلمة 🂡") == "şifre parolam كلمة 🂡".encode()
    assert normalised("I") != normalised("i") != normalised("\u0131")  # case matters


@pytest.mark.parametrize("text", ["", "a\x1b[Dword", "two\nlines", "nul\0", "\udce9", "x" * 1025])
def test_an_invalid_passphrase_is_refused(text):
    assert failure(normalised, text) == "bad-passphrase"
    assert failure(check_new_passphrase, text) == "bad-passphrase"


def test_a_new_passphrase_needs_at_least_eight_characters():
    check_new_passphrase("8 signs!")
    assert failure(check_new_passphrase, "7 signs") == "bad-passphrase"
    assert failure(check_new_passphrase, "e\u0301" * 7) == "bad-passphrase"  # seven letters é


def test_a_new_passphrase_may_not_contain_unassigned_characters():
    """Unicode may define their NFKC form later. Then, a newer Python couldn't open the key."""
    unassigned = "\u0378"
    assert unicodedata.category(unassigned) == "Cn"
    assert failure(check_new_passphrase, WORDS + unassigned) == "bad-passphrase"
    assert normalised(WORDS + unassigned)  # a key encrypted with it can still be opened


# In a home


def never_asked():
    pytest.fail("asked for a passphrase that is not needed")


def test_a_plain_key_is_read_without_asking_and_can_be_sealed(home, cheap):
    key = home.identity(rng(), never_asked)
    file = home.identity_file
    assert file.is_sealed() is False
    file.replace(key, WORDS, rng())
    assert file.is_sealed() is True
    assert home.identity(rng(2), lambda: WORDS).public == key.public
    assert failure(home.identity, rng(), lambda: "another one") == "wrong-passphrase"
    assert failure(home.identity, rng()) == "no-passphrase"
    file.replace(key, "quite another one", rng())
    assert failure(home.identity, rng(), lambda: WORDS) == "wrong-passphrase"
    file.replace(key, None, rng())
    assert home.identity(rng(2), never_asked).public == key.public


def test_a_key_can_be_sealed_when_it_is_created(home, cheap):
    assert home.identity_file.is_sealed() is None
    assert home.identity_file.create(KEY, WORDS, rng())
    assert not home.identity_file.create(IdentityKey(bytes(32)), WORDS, rng())
    assert home.identity(rng(), lambda: WORDS).public == KEY.public


def test_a_short_passphrase_changes_nothing(home):
    home.identity(rng())
    before = home.identity_file.path.read_bytes()
    assert failure(home.identity_file.replace, KEY, "short", rng()) == "bad-passphrase"
    assert home.identity_file.path.read_bytes() == before


def test_a_sealed_key_that_cannot_be_opened_again_is_not_kept(home, cheap, monkeypatch):
    home.identity(rng())
    before = home.identity_file.path.read_bytes()
    monkeypatch.setattr(SealedKey, "unseal", lambda *_: IdentityKey(bytes(32)))
    assert failure(home.identity_file.replace, KEY, WORDS, rng()) == "sealing-failed"
    assert home.identity_file.path.read_bytes() == before


@posix
def test_a_link_to_the_key_is_read_and_not_replaced(home, tmp_path, cheap):
    """Replacing the link would leave the unencrypted key at its target."""
    key = home.identity(rng())
    elsewhere = home.identity_file.path.rename(tmp_path / "key")
    home.identity_file.path.symlink_to(elsewhere)
    elsewhere.chmod(0o644)
    assert home.identity(rng(2)).public == key.public
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o600
    assert failure(home.identity_file.replace, key, WORDS, rng()) == "identity-is-link"
    elsewhere.unlink()  # a player who moves their key must not silently get a new identity
    assert failure(home.identity, rng()) == "bad-identity-file"
    assert not elsewhere.exists()


@posix
def test_a_home_that_others_can_change_gives_a_warning(home, monkeypatch):
    home.identity(rng())
    assert home.identity_file.access_warnings() == ()
    home.path.chmod(0o777)
    (sentence,) = home.identity_file.access_warnings()
    assert str(home.path) in sentence
    home.path.chmod(0o1777)  # as for /tmp: users can't rename each other's files
    assert home.identity_file.access_warnings() == ()
    home.path.chmod(0o755)
    assert home.identity_file.access_warnings() == ()
    monkeypatch.setattr(files, "make_private", lambda _: None)  # a file system without modes
    home.identity_file.path.chmod(0o640)
    home.identity(rng())
    (sentence,) = home.identity_file.access_warnings()
    assert "read" in sentence


@posix
def test_a_dangling_link_is_not_taken_for_a_missing_key(home):
    home.path.mkdir()
    home.identity_file.path.symlink_to("gone")
    for look in (home.identity_file.is_sealed, lambda: home.identity_file.load(None)):
        assert failure(look) == "bad-identity-file"


def test_opening_a_key_writes_nothing(home):
    """There may be no permission or space to write. A lock is needed only if there's a file to
    delete."""
    put(home, sealed())
    assert home.identity_file.load(lambda: WORDS).public == KEY.public
    assert [path.name for path in home.path.iterdir()] == ["identity.pem"]


@posix
def test_a_plain_copy_that_cannot_be_deleted_is_reported(home):
    put(home, sealed())
    left = home.path / ".identity.pem.0011223344556677.tmp"
    left.mkdir()  # unlink() refuses a folder
    with pytest.raises(StoreError, match="copy") as failed:
        home.identity_file.load(lambda: WORDS)
    assert failed.value.code in ("disk-error", "no-permission")


# A crash during the change


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="syncs by other means there")
@pytest.mark.parametrize("way", ["protect", "unprotect"])
@pytest.mark.deep(keep=1)
def test_wherever_the_machine_dies_a_usable_key_remains(tmp_path, cheap, way):
    rand, ended, left_plain = random.Random(7), False, 0
    old, new = (None, WORDS) if way == "protect" else (WORDS, None)
    death = 0
    while not ended:
        folder = tmp_path / f"{death}"
        folder.mkdir()
        assert Home(folder).identity_file.create(KEY, old, rng())
        with faulty(Disk(folder)) as stand_in:
            (disk,) = stand_in.disks

            def dies(_, disk=disk, at=death):
                if len(disk.operations) > at:
                    raise Crash

            disk.before = dies
            try:
                Home(folder).identity_file.replace(KEY, new, rng(3))
                ended = True
            except Crash:
                pass
            disk.abandon()
        for number in range(3):
            found = Home(disk.crash(rand, tmp_path / f"{death}-{number}"))
            sealed = found.identity_file.is_sealed()
            assert sealed is not None
            assert ended <= (sealed is (new is not None))  # a reported change has been made
            if number == 0 or not sealed:
                assert found.identity(rng(9), lambda: WORDS).public == KEY.public
                if sealed:
                    assert files.temporaries(found.identity_file.path) == []
            left_plain += sealed and any(
                b"PRIVATE" in path.read_bytes() for path in found.path.iterdir()
            )
        death += 1
    assert death > 5
    if way == "protect":
        assert left_plain == 0


def test_a_plain_copy_left_by_a_crash_is_deleted_when_the_key_is_sealed(home, cheap):
    key = home.identity(rng())
    plain = home.identity_file.path.read_bytes()
    left = home.path / ".identity.pem.0011223344556677.tmp"
    beside = home.path / ".known_peers.json.0011223344556677.tmp"
    for path in (left, beside):
        path.write_bytes(plain)
    assert home.identity(rng()).public == key.public
    assert left.exists()
    home.identity_file.replace(key, WORDS, rng())
    assert not left.exists()
    left.write_bytes(plain)
    assert failure(home.identity, rng(), lambda: "wrong one") == "wrong-passphrase"
    home.identity(rng(), lambda: WORDS)
    assert not left.exists()
    assert beside.exists()
