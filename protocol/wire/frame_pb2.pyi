from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PauseWord(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PAUSE_WORD_UNSPECIFIED: _ClassVar[PauseWord]
    PAUSE_WORD_ASK: _ClassVar[PauseWord]
    PAUSE_WORD_DECLINE: _ClassVar[PauseWord]
    PAUSE_WORD_WITHDRAW: _ClassVar[PauseWord]

class ConsentWord(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONSENT_WORD_UNSPECIFIED: _ClassVar[ConsentWord]
    CONSENT_WORD_GIVE: _ClassVar[ConsentWord]
    CONSENT_WORD_TAKE_BACK: _ClassVar[ConsentWord]
PAUSE_WORD_UNSPECIFIED: PauseWord
PAUSE_WORD_ASK: PauseWord
PAUSE_WORD_DECLINE: PauseWord
PAUSE_WORD_WITHDRAW: PauseWord
CONSENT_WORD_UNSPECIFIED: ConsentWord
CONSENT_WORD_GIVE: ConsentWord
CONSENT_WORD_TAKE_BACK: ConsentWord

class Frame(_message.Message):
    __slots__ = ("hello", "welcome", "entry", "chat", "ping", "pong", "goodbye", "pause", "whereabouts", "proposal", "consent")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    CHAT_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    GOODBYE_FIELD_NUMBER: _ClassVar[int]
    PAUSE_FIELD_NUMBER: _ClassVar[int]
    WHEREABOUTS_FIELD_NUMBER: _ClassVar[int]
    PROPOSAL_FIELD_NUMBER: _ClassVar[int]
    CONSENT_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    welcome: Welcome
    entry: bytes
    chat: str
    ping: int
    pong: int
    goodbye: Goodbye
    pause: PauseWord
    whereabouts: bytes
    proposal: str
    consent: ConsentWord
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., welcome: _Optional[_Union[Welcome, _Mapping]] = ..., entry: _Optional[bytes] = ..., chat: _Optional[str] = ..., ping: _Optional[int] = ..., pong: _Optional[int] = ..., goodbye: _Optional[_Union[Goodbye, _Mapping]] = ..., pause: _Optional[_Union[PauseWord, str]] = ..., whereabouts: _Optional[bytes] = ..., proposal: _Optional[str] = ..., consent: _Optional[_Union[ConsentWord, str]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("versions", "proof", "position", "software", "extensions")
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SOFTWARE_FIELD_NUMBER: _ClassVar[int]
    EXTENSIONS_FIELD_NUMBER: _ClassVar[int]
    versions: _containers.RepeatedScalarFieldContainer[int]
    proof: bytes
    position: Position
    software: str
    extensions: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, versions: _Optional[_Iterable[int]] = ..., proof: _Optional[bytes] = ..., position: _Optional[_Union[Position, _Mapping]] = ..., software: _Optional[str] = ..., extensions: _Optional[_Iterable[int]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("version", "position", "software", "signature", "extensions")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SOFTWARE_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    EXTENSIONS_FIELD_NUMBER: _ClassVar[int]
    version: int
    position: Position
    software: str
    signature: bytes
    extensions: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, version: _Optional[int] = ..., position: _Optional[_Union[Position, _Mapping]] = ..., software: _Optional[str] = ..., signature: _Optional[bytes] = ..., extensions: _Optional[_Iterable[int]] = ...) -> None: ...

class Position(_message.Message):
    __slots__ = ("table", "sequence", "head")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    table: bytes
    sequence: int
    head: bytes
    def __init__(self, table: _Optional[bytes] = ..., sequence: _Optional[int] = ..., head: _Optional[bytes] = ...) -> None: ...

class Goodbye(_message.Message):
    __slots__ = ("code", "sentence")
    CODE_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    code: str
    sentence: str
    def __init__(self, code: _Optional[str] = ..., sentence: _Optional[str] = ...) -> None: ...
