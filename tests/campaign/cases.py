"""The 42 cases of the open campaign, and the tests that cover each of them.

Every case asserts four things: the failure class (A garbled, B signed but illegal, C own fault), a
stable code, an unchanged prefix of the log, and that the next honest action still works. For signed
bytes and entries, one function always asserts all four: ``refused`` of tests.cheating.cheat,
through ``violation`` (B) or ``garbled`` (A). On the wire, ``an_honest_guest_finishes`` is the next
action. A test that does this is listed under *whole*. The other tests of a case look at another
side of it, or at a lower layer: a proof alone, a frame, a file. tests/test_cases.py checks this
table against the tests.
"""

from __future__ import annotations

from dataclasses import dataclass

DEAL = "tests/cheating/test_deal.py"
PLAY = "tests/cheating/test_play.py"
STAGED = "tests/cheating/test_staged.py"
AUDIT = "tests/cheating/test_audit.py"
WITHHELD = "tests/cheating/test_withheld.py"
VARIANTS = "tests/cheating/test_variants.py"
REFEREE = "tests/referee/test_referee.py"
TAMPERING = "tests/referee/test_log_tampering.py"
WIRE = "tests/cheating/test_wire.py"
STRANGERS = "tests/net/test_strangers.py"
TURNED_AWAY = "tests/net/test_turned_away.py"
MISDEEDS = "tests/net/test_misdeeds.py"
FRAMING = "tests/net/test_framing.py"
CATCHING_UP = "tests/seat/test_catching_up.py"
JOURNAL = "tests/store/test_journal.py"
DECK = "tests/protocol/test_deck_cheats.py"
BODIES = "tests/protocol/test_bodies.py"
ARGUMENTS = "tests/crypto/test_shuffle_cheats.py"
IDENTITY = "tests/crypto/test_identity.py"
VERIFY = "tests/cli/commands/test_verify.py"
COMMAND = "tests/cli/test_campaign_command.py"
PIPED = "tests/cli/table/test_piped.py"


@dataclass(frozen=True)
class Case:
    """One case: its title, the classes that a refusal may have, and its tests by file."""

    title: str
    classes: str
    whole: dict[str, tuple[str, ...]]
    """Tests that assert the class, the code, the prefix and the next honest action."""
    also: dict[str, tuple[str, ...]]


def _case(
    title: str,
    classes: str,
    whole: dict[str, tuple[str, ...]],
    also: dict[str, tuple[str, ...]] | None = None,
) -> Case:
    return Case(title, classes, whole, also or {})


CASES: dict[int, Case] = {
    1: _case(
        "one card encrypted twice",
        "B",
        {
            DEAL: (
                "test_a_card_cannot_be_encrypted_twice",
                "test_a_card_cannot_be_replaced_by_another_card",
            )
        },
        {ARGUMENTS: ("test_one_card_encrypted_twice",)},
    ),
    2: _case(
        "a card replaced by a random point",
        "B",
        {DEAL: ("test_a_card_cannot_be_replaced_by_a_random_point",)},
        {ARGUMENTS: ("test_a_card_replaced_by_a_random_point",)},
    ),
    3: _case(
        "51 or 53 cards, proof length wrong",
        "B",
        {
            DEAL: (
                "test_a_deck_has_52_cards",
                "test_an_argument_has_one_length",
                "test_an_argument_for_51_cards_does_not_prove_a_deck",
                "test_a_riffle_keeps_the_number_of_cards",
            )
        },
        {
            DECK: (
                "test_a_deck_of_51_or_53_cards_is_refused",
                "test_every_field_has_exactly_one_length",
            )
        },
    ),
    4: _case(
        "identity in any component",
        "B",
        {
            DEAL: (
                "test_every_element_is_canonical_in_the_group_and_not_the_identity",
                "test_a_key_is_not_the_identity",
            )
        },
        {DECK: ("test_no_piece_of_any_field_takes_a_bad_encoding",)},
    ),
    5: _case(
        "non-canonical or off-group encodings in every field",
        "B",
        {
            DEAL: (
                "test_every_element_is_canonical_in_the_group_and_not_the_identity",
                "test_every_scalar_is_below_the_order",
            )
        },
        {DECK: ("test_no_piece_of_any_field_takes_a_bad_encoding",)},
    ),
    6: _case(
        "every proof field and every transcript input changed",
        "B",
        {
            DEAL: (
                "test_every_field_of_a_proof_counts",
                "test_every_commitment_of_an_argument_counts",
                "test_a_proof_belongs_to_one_place_of_one_log",
            )
        },
        {
            DECK: ("test_every_field_matters", "test_no_message_can_be_moved_to_another_place"),
            "tests/crypto/test_shuffle.py": (
                "test_the_key_is_part_of_the_statement",
                "test_every_card_before_is_part_of_the_statement",
                "test_every_card_after_is_part_of_the_statement",
                "test_everything_is_said_before_the_challenge_that_depends_on_it",
            ),
        },
    ),
    7: _case(
        "a proof from another hand or match, or mine reflected",
        "B",
        {
            DEAL: (
                "test_a_proof_of_an_earlier_hand_does_not_serve_in_a_later_one",
                "test_shares_of_another_draw_do_not_serve",
                "test_my_possession_proof_cannot_be_reflected_at_me",
                "test_my_shares_cannot_be_reflected_at_me",
                "test_my_shuffle_cannot_be_reflected_at_me",
                "test_a_riffle_of_the_last_turn_does_not_serve",
            )
        },
        {ARGUMENTS: ("test_an_argument_from_another_hand_or_match",)},
    ),
    8: _case(
        "commitment generators other than the published derivation",
        "B",
        {DEAL: ("test_own_generators_prove_nothing",)},
        {
            ARGUMENTS: (
                "test_generators_other_than_the_published_ones",
                "test_generators_whose_logarithms_the_prover_knows",
            ),
            "tests/crypto/test_commitment.py": (
                "test_generators_are_hashed_under_their_own_label_and_never_received",
            ),
        },
    ),
    9: _case(
        "rogue key, identity key, missing proof of possession",
        "B",
        {
            DEAL: (
                "test_a_rogue_key_has_no_proof_of_possession",
                "test_a_key_needs_its_proof_of_possession",
                "test_a_key_is_not_the_identity",
                "test_two_cheats_cannot_make_a_joint_key_that_hides_nothing",
            )
        },
        {DECK: ("test_a_rogue_key_is_refused_for_want_of_possession",)},
    ),
    10: _case(
        "seed not matching its commitment, or none given",
        "B",
        {
            AUDIT: (
                "test_a_seed_matches_its_commitment",
                "test_every_committed_seed_is_owed_once",
            ),
            DEAL: ("test_the_cut_is_opened_as_committed",),
        },
        {
            WITHHELD: (
                "test_what_is_withheld_is_told_and_nobody_is_blamed",
                "test_seeds_that_nobody_discloses_leave_a_match_that_was_settled_and_not_audited",
                "test_the_match_goes_on_when_the_entry_comes_after_all",
            )
        },
    ),
    11: _case(
        "share asked for a wrong slot or at a wrong time",
        "B",
        {
            PLAY: (
                "test_a_card_is_asked_for_only_when_a_draw_is_owed",
                "test_drawing_before_the_share_has_come_is_out_of_turn",
            ),
            DEAL: ("test_a_share_is_for_the_card_just_drawn",),
        },
        {
            PLAY: ("test_a_draw_releases_one_share_once",),
            "tests/seat/test_seat.py": (
                "test_a_share_is_given_for_the_card_just_drawn_and_no_other",
            ),
        },
    ),
    12: _case(
        "a re-masked copy of my hidden card offered as the peer's own",
        "B",
        {
            DEAL: (
                "test_my_hidden_card_cannot_be_masked_again_as_the_peers_own",
                "test_a_card_of_the_stock_cannot_be_riffled_into_a_hand",
            )
        },
        {DECK: ("test_a_card_from_elsewhere_cannot_be_slipped_in_by_a_riffle",)},
    ),
    13: _case(
        "DLEQ for a wrong key, card or base",
        "B",
        {
            DEAL: (
                "test_the_shares_of_a_deal_are_for_the_places_of_the_taker",
                "test_the_shares_of_a_deal_keep_their_order",
                "test_a_share_is_made_with_the_hand_key",
                "test_a_share_steers_no_card",
            )
        },
        {DECK: ("test_shares_by_another_secret_are_refused",)},
    ),
    14: _case(
        "share withheld",
        "B",
        {WITHHELD: ("test_a_share_for_another_card_is_no_way_out_and_the_right_one_still_is",)},
        {
            WITHHELD: (
                "test_what_is_withheld_is_told_and_nobody_is_blamed",
                "test_who_waits_for_an_entry_neither_signs_nor_moves",
                "test_the_match_goes_on_when_the_entry_comes_after_all",
                "test_a_log_that_ends_with_a_draw_stands_at_the_same_place_for_both",
            ),
            "tests/cli/table/test_withheld.py": (
                "test_the_hand_is_shown_without_the_card_that_has_not_come",
            ),
            "tests/net/test_session.py": (
                "test_who_owes_is_what_the_log_says_whatever_the_peer_claims_to_have",
            ),
        },
    ),
    15: _case(
        "drawing twice; discarding the card just taken",
        "B",
        {
            PLAY: (
                "test_drawing_twice_is_a_violation",
                "test_taking_the_upcard_after_a_draw_is_drawing_twice",
                "test_drawing_after_taking_the_upcard_is_drawing_twice",
                "test_the_card_just_taken_cannot_be_thrown",
                "test_the_card_just_taken_cannot_be_thrown_with_a_knock",
                "test_the_card_just_taken_cannot_be_thrown_under_another_name",
            )
        },
    ),
    16: _case(
        "discard of a card not held",
        "B",
        {
            PLAY: (
                "test_a_card_that_lies_in_the_pile_is_not_in_a_hand",
                "test_a_card_that_the_other_took_is_not_in_a_hand",
                "test_a_hidden_card_that_is_not_held_cannot_be_thrown",
            )
        },
        {DECK: ("test_a_card_that_is_not_held_cannot_be_thrown_from_any_place",)},
    ),
    17: _case(
        "opening to another value",
        "B",
        {
            PLAY: (
                "test_a_discard_opens_to_one_value_only",
                "test_a_discard_is_opened_at_its_own_place",
                "test_one_card_shown_as_another_breaks_the_opening",
                "test_cards_shown_in_another_order_break_the_opening",
            )
        },
        {DECK: ("test_a_discard_opens_to_no_other_card",)},
    ),
    18: _case(
        "knock over the limit",
        "B",
        {
            PLAY: (
                "test_a_knock_over_the_limit_is_refused",
                "test_a_hand_that_cannot_knock_cannot_be_shown_as_one_that_can",
            )
        },
    ),
    19: _case(
        "K-A-2 run, mixed suits, reused card, wrong score",
        "B",
        {
            PLAY: (
                "test_what_is_no_meld_cannot_be_knocked_with",
                "test_the_defender_melds_by_the_same_rules",
                "test_a_card_is_used_once",
                "test_the_signed_score_is_what_the_hands_add_up_to",
            )
        },
        {
            STAGED: (
                "test_king_ace_two_is_no_run_even_when_held",
                "test_a_run_is_of_one_suit_even_when_held",
                "test_a_card_is_in_one_meld_only_even_when_it_fits_two",
            )
        },
    ),
    20: _case(
        "lay-off against gin, or one that does not fit",
        "B",
        {
            PLAY: (
                "test_nothing_is_laid_off_against_gin",
                "test_a_layoff_fits_its_meld",
                "test_a_card_is_laid_off_once",
                "test_only_own_cards_are_laid_off",
            )
        },
        {
            STAGED: (
                "test_nothing_is_laid_off_against_big_gin_though_it_would_fit",
                "test_a_layoff_fits_when_it_is_laid",
            )
        },
    ),
    21: _case(
        "every message kind in every state, and duplicates",
        "AB",
        {REFEREE: ("test_nothing_follows_the_end",)},
        {
            REFEREE: (
                "test_the_referee_allows_what_the_protocol_says",
                "test_a_kind_passes_only_where_it_is_allowed",
                "test_nothing_passes_out_of_turn",
                "test_a_stranger_signs_nothing",
                "test_every_entry_passes_once",
                "test_after_each_kind_out_of_place_the_right_one_still_passes",
            )
        },
    ),
    22: _case(
        "every byte of a one-hand log flipped",
        "AB",
        {},
        {
            TAMPERING: (
                "test_every_flipped_byte_is_found_and_blames_nobody",
                "test_flipped_bytes_of_every_kind_of_entry_are_found",
                "test_the_verdict_on_a_flipped_log_is_forged_and_names_the_entry",
            ),
            VERIFY: ("test_a_flipped_byte_never_passes_and_the_entry_is_named",),
        },
    ),
    23: _case(
        "entries deleted, swapped, repeated, inserted",
        "A",
        {},
        {
            TAMPERING: (
                "test_deleted_and_swapped_entries_are_found",
                "test_an_inserted_entry_is_found",
                "test_the_verdict_on_a_rearranged_log_is_forged_and_blames_nobody",
            ),
            REFEREE: ("test_every_entry_passes_once",),
            VERIFY: ("test_entries_moved_about_convict_nobody",),
        },
    ),
    24: _case(
        "a log cut after each entry",
        "",
        {},
        {
            TAMPERING: (
                "test_a_log_cut_after_any_entry_is_incomplete_and_says_who_owes",
                "test_an_unfinished_last_record_is_told_apart",
            ),
            VERIFY: ("test_a_log_cut_after_an_entry_is_incomplete_and_says_who_owes",),
        },
    ),
    25: _case(
        "two entries at one position",
        "B",
        {
            TAMPERING: (
                "test_two_entries_at_one_place_convict_their_author",
                "test_a_second_signature_under_the_same_body_is_a_second_entry",
            )
        },
        {TAMPERING: ("test_the_evidence_stands_alone",)},
    ),
    26: _case(
        "a claimed winner that the replay does not find",
        "B",
        {PLAY: ("test_the_signed_score_is_what_the_hands_add_up_to",)},
        {
            TAMPERING: ("test_a_claimed_winner_that_the_replay_does_not_find_is_forged",),
            VERIFY: ("test_a_false_score_convicts_who_signed_it",),
        },
    ),
    27: _case(
        "signature with S + L, the speccheck vectors, small-order keys",
        "A",
        {
            REFEREE: (
                "test_an_unusable_identity_key_is_refused",
                "test_a_signature_that_only_other_verifiers_accept_is_none",
            )
        },
        {
            TAMPERING: ("test_a_signature_made_twice_by_arithmetic_is_none",),
            IDENTITY: (
                "test_speccheck_cases_get_the_stated_verdict",
                "test_the_eight_points_of_small_order_are_refused_in_every_encoding",
                "test_no_second_signature_can_be_made_from_one",
            ),
        },
    ),
    28: _case(
        "signed by unexpected keys",
        "A",
        {},
        {
            TAMPERING: (
                "test_a_match_signed_by_other_keys_is_valid_and_shows_whose_they_are",
                "test_no_entry_of_a_log_can_be_signed_anew_by_another_key",
                "test_a_new_first_entry_leaves_the_rest_without_a_beginning",
            ),
            REFEREE: ("test_an_entry_by_another_key_than_expected_is_refused",),
        },
    ),
    29: _case(
        "length 0, cap + 1, 2^31, 2^32 - 1",
        "A",
        {
            WIRE: (
                "test_after_an_offence_at_the_table_the_match_is_played",
                "test_after_a_stranger_the_right_guest_plays",
            )
        },
        {
            MISDEEDS: ("test_after_every_misdeed_the_match_goes_on",),
            FRAMING: ("test_an_impossible_length_ends_the_stream_before_anything_is_allocated",),
        },
    ),
    30: _case(
        "one byte a second, or silence",
        "A",
        {WIRE: ("test_after_silence_the_match_is_played",)},
        {
            TURNED_AWAY: ("test_who_is_too_slow_is_told_once",),
            STRANGERS: ("test_a_byte_a_second_does_not_put_off_the_deadline",),
            MISDEEDS: ("test_after_every_misdeed_the_match_goes_on",),
        },
    ),
    31: _case(
        "flood of valid frames or chat",
        "A",
        {WIRE: ("test_after_an_offence_at_the_table_the_match_is_played",)},
        {STRANGERS: ("test_who_comes_back_may_say_no_more_for_that",)},
    ),
    32: _case(
        "peer never reads",
        "A",
        {WIRE: ("test_after_a_guest_that_never_reads_the_match_is_played",)},
        {
            STRANGERS: (
                "test_a_peer_that_never_reads_costs_a_bounded_buffer_and_then_the_connection",
                "test_a_peer_that_neither_reads_nor_closes_is_cut_off",
            )
        },
    ),
    33: _case(
        "pinned key changed",
        "A",
        {WIRE: ("test_after_a_host_with_another_key_the_right_one_is_found",)},
        {"tests/net/test_tls.py": ("test_another_key_than_the_pinned_one_is_refused_loudly",)},
    ),
    34: _case(
        "handshake replayed, version list edited",
        "A",
        {
            WIRE: (
                "test_after_a_stranger_the_right_guest_plays",
                "test_after_a_replayed_greeting_the_right_guest_plays",
                "test_after_a_guest_without_its_key_the_right_one_plays",
            )
        },
        {
            STRANGERS: (
                "test_a_greeting_is_worth_nothing_elsewhere",
                "test_an_edited_hello_is_noticed_by_both",
            )
        },
    ),
    35: _case(
        "connection cut at every frame boundary and inside frames",
        "A",
        {},
        {
            "tests/net/test_cuts.py": (
                "test_a_match_cut_at_every_frame_writes_the_same_log",
                "test_a_match_cut_at_tls_records_writes_the_same_log",
            )
        },
    ),
    36: _case(
        "SIGKILL at each write, fsync, rename, send",
        "C",
        {},
        {
            "tests/seat/test_restore.py": (
                "test_a_seat_that_stops_after_any_effect_signs_no_place_twice",
            ),
            "tests/cli/match/test_resume.py": (
                "test_a_killed_host_resumes_while_the_guest_keeps_trying",
            ),
        },
    ),
    37: _case(
        "torn tail at each byte",
        "C",
        {},
        {
            JOURNAL: (
                "test_only_the_torn_record_is_dropped_at_every_byte",
                "test_only_the_torn_seed_is_dropped_at_every_byte",
            )
        },
    ),
    38: _case(
        "disk full at each entry",
        "C",
        {},
        {
            JOURNAL: (
                "test_a_full_disk_at_each_byte_leaves_the_log_whole_and_going_on",
                "test_no_space_left_is_called_a_full_disk",
            ),
            "tests/seat/test_seat.py": ("test_nothing_is_sent_after_a_store_that_failed",),
        },
    ),
    39: _case(
        "the peer's log shorter, longer, divergent",
        "AB",
        {},
        {
            CATCHING_UP: (
                "test_from_every_entry_the_one_behind_takes_what_it_lacks",
                "test_after_meeting_the_match_is_played_to_its_end",
                "test_where_two_logs_part_both_sides_keep_the_proof_of_who_signed_twice",
                "test_another_match_is_no_fork",
                "test_a_garbled_entry_is_forgotten_with_its_connection",
            )
        },
    ),
    40: _case(
        "deep nesting, unknown, duplicate, reordered fields, padded varints, bad UTF-8",
        "AB",
        {
            REFEREE: (
                "test_signed_but_not_canonical_convicts_and_unsigned_does_not",
                "test_a_newcomer_who_is_not_canonical_has_not_come",
            )
        },
        {
            BODIES: ("test_groups_nested_however_deep_are_refused", "test_bad_utf8_is_refused"),
            "tests/net/test_frames.py": ("test_whatever_is_not_canonical_is_garbled",),
            "tests/fuzz/test_frames.py": ("test_malformed_frames_are_refused_with_a_listed_code",),
        },
    ),
    41: _case(
        "escape sequences in names and chat",
        "",
        {},
        {
            "tests/cli/text/test_text.py": ("test_text_of_others_cannot_steer_the_terminal",),
            "tests/cli/table/test_table.py": (
                "test_chat_of_the_other_player_is_cleaned_and_quoted",
            ),
            "tests/cli/table/test_voices.py": (
                "test_what_the_other_side_says_when_it_closes_cannot_steer_the_terminal",
            ),
            BODIES: ("test_names_that_could_steer_a_terminal_are_refused",),
            PIPED: ("test_two_scripts_meet_over_tcp_and_talk_harmlessly",),
        },
    ),
    42: _case(
        "hostile names; input that ends or never ends, SIGINT, SIGPIPE",
        "",
        {},
        {
            COMMAND: (
                "test_no_name_of_a_log_makes_a_command_fail_or_write",
                "test_a_name_with_a_zero_byte_is_no_name",
                "test_a_log_outside_is_read_where_a_person_names_it_and_never_resumed",
                "test_no_players_name_becomes_a_files_name",
                "test_without_a_keyboard_a_command_ends_by_itself",
                "test_a_line_without_end_is_no_reason_to_fail",
                "test_an_interrupted_command_ends_cleanly",
                "test_a_reader_who_goes_early_gets_no_traceback",
            ),
            PIPED: ("test_a_line_of_ten_megabytes_is_refused_with_a_sentence",),
        },
    ),
}
