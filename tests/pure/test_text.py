"""One analyser for what is stored and what is asked, in every script."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.languages import language_of
from models.text import MAX_TERM_LENGTH, identifiers, normalise, phrases, terms

TEXTS = st.text(max_size=40)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep it.", "keep  it"),
        ("KEEP\nIT", "keep it"),
        ("Straße", "STRASSE"),
        ("ＫＥＥＰ", "keep"),
        ("re‐run", "re-run"),
        ("re‑run", "re-run"),
        ("re–run", "re-run"),
        ("re−run", "re-run"),
        ("re－run", "re-run"),
        ("“keep”", "keep"),
        ("(keep)", "keep"),
        ("会议。", "会议"),
        (unicodedata.normalize("NFD", "Auditoría"), "Auditoría"),
        ("ﬁle", "file"),
    ],
)
def test_wording_that_differs_in_form_alone_is_one(one: str, other: str) -> None:
    assert normalise(one) == normalise(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("re-run", "rerun"),
        ("v1.2", "v12"),
        ("do not delete", "do delete"),
        ("Auditoría", "Auditoria"),
        ("が", "か"),
    ],
)
def test_what_means_something_else_stays_apart(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_the_turkish_dotted_i_keeps_a_stable_form() -> None:
    assert normalise("İstanbul") == "i̇stanbul"
    assert normalise(normalise("İstanbul")) == normalise("İstanbul")
    assert normalise("ISTANBUL") == normalise("istanbul") == "istanbul"
    assert normalise("ısparta") == "ısparta"


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_composed_and_decomposed_forms_are_one(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert normalise(composed) == normalise(decomposed)
    assert terms(composed) == terms(decomposed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpu-bench-01", {"gpu-bench-01", "gpu", "bench", "01"}),
        ("refund_threshold", {"refund_threshold", "refund", "threshold"}),
        ("v1.2.0", {"v1.2.0", "v", "1", "2", "0"}),
        ("cloud-instance:i-09a8f", {"cloud-instance:i-09a8f", "cloud", "instanc", "09", "8", "f"}),
        ("GPU‑Bench‑01", {"gpu-bench-01", "gpu", "bench", "01"}),
        ("Deleting servers", {"delet", "server"}),
        ("do not delete, never", {"not", "delet", "never"}),
        ("no", {"no"}),
        ("the and of is", set()),
        ("", set()),
        ("... -- !?", set()),
    ],
)
def test_search_terms(text: str, expected: set[str]) -> None:
    assert set(terms(text)) == expected


def test_terms_are_counted() -> None:
    assert terms("delete deletes the deleting Delete")["delet"] == 4


@pytest.mark.parametrize(
    ("row", "query"),
    [
        pytest.param("会议改到周五下午", "会议 周五", id="Chinese"),
        pytest.param("会議は金曜日の午後に変更されました", "金曜日の会議", id="Japanese"),
        pytest.param("회의는 금요일 오후로 변경되었습니다", "금요일 회의", id="Korean"),
        pytest.param("การประชุมเลื่อนไปวันศุกร์", "ประชุม วันศุกร์", id="Thai"),
        pytest.param("बैठक शुक्रवार दोपहर को होगी", "शुक्रवार बैठक", id="Hindi"),
        pytest.param("تم نقل الاجتماع إلى يوم الجمعة", "الاجتماع الجمعة", id="Arabic"),
        pytest.param("Встреча перенесена на пятницу", "встреча пятницу", id="Russian"),
        pytest.param("הפגישה הועברה ליום שישי", "הפגישה שישי", id="Hebrew"),
    ],
)
def test_a_query_shares_terms_with_its_row_in_every_script(row: str, query: str) -> None:
    stored = set(terms(row))
    for word in query.split():
        asked = set(terms(word))
        assert asked
        assert len(asked & stored) >= min(2, len(asked))


@pytest.mark.parametrize("word", ["बैठक", "शुक्रवार", "हिंदी", "مُحَمَّد", "தமிழ்", "వాడుక", "x̄a"])
def test_a_word_with_vowel_signs_stays_whole(word: str) -> None:
    assert len(terms(word)) == 1
    assert identifiers(word) == []


def test_signs_tell_words_apart() -> None:
    assert not set(terms("बैठक")) & set(terms("बाठक"))


def test_a_picture_sign_leaves_its_digit_to_be_found() -> None:
    assert "3" in terms("step 3️⃣")


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_no_term_is_empty_or_too_long(text: str) -> None:
    assert all(0 < len(term) <= MAX_TERM_LENGTH for term in terms(text))


def test_a_very_long_word_is_cut_alike_in_row_and_query() -> None:
    assert list(terms("x" * 5_000)) == ["x" * MAX_TERM_LENGTH]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Keep gpu-bench-01 and GPU-BENCH-01.", ["gpu-bench-01"]),
        ("raise refund_threshold, then v1.2.0", ["refund_threshold", "v1.2.0"]),
        ("look at cloud-instance:i-09a8f", ["cloud-instance:i-09a8f"]),
        ("delete the old server", []),
        ("on 2026-03-02 at 10.5", []),
        ("会议改到周五下午", []),
    ],
)
def test_identifiers_are_names_of_things(text: str, found: list[str]) -> None:
    assert identifiers(text) == found


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        (
            "Die Server werden nach der Prüfung nicht abgeschaltet.",
            "Wann wird der Server nach den Prüfungen abgeschaltet?",
        ),
        ("Les serveurs sont arrêtés pour la maintenance.", "maintenance du serveur"),
        ("Los servidores se apagan para el mantenimiento.", "servidores mantenimiento"),
        ("Серверы нельзя выключать до проверки", "сервер проверка"),
        ("यह सर्वर बंद नहीं करना है", "सर्वरों बंद"),
        ("لا توقف الخوادم قبل التدقيق", "تدقيق"),
        ("服务器不能在审计之前停止", "审计"),
        ("ห้ามหยุดเซิร์ฟเวอร์ก่อนตรวจสอบ", "ตรวจสอบ"),
        ("Do not restart gpu-bench-01 on ERR_RATE_LIMIT since v1.2.0", "err_rate_limit"),
    ],
)
def test_a_question_finds_other_forms_of_the_words_in_its_language(stored: str, asked: str) -> None:
    assert terms(stored).keys() & terms(asked).keys()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the server is down", "english"),
        ("server down", "english"),
        ("der Server ist nicht da", "german"),
        ("le serveur est dans la salle", "french"),
        ("el servidor que está en la sala", "spanish"),
        ("de server is niet voor het team", "dutch"),
        ("gpu-bench-01 ERR_RATE_LIMIT", "english"),
        ("", "english"),
    ],
)
def test_a_language_is_told_by_its_function_words(text: str, language: str) -> None:
    assert language_of(normalise(text).split()) == language


def test_phrases_are_runs_of_words_of_the_beginning_and_of_the_end() -> None:
    runs = ["payment", "gateway", "the payment", "payment gateway", "the payment gateway"]
    assert phrases("the payment gateway", 9) == runs
    long = " ".join(["first word", *(f"w{number}" for number in range(50)), "payment gateway"])
    found = phrases(long, 10)
    assert {"first word", "payment gateway"} <= set(found)
    assert "w25" not in found
    assert phrases("of the", 9) == []


def test_what_turns_a_sentence_round_is_searched_for_in_every_language() -> None:
    assert "nicht" in terms("Die Server werden nach der Prüfung nicht abgeschaltet.")
    assert "not" in terms("do not delete it")
