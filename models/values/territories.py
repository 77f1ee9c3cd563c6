"""How numbers, amounts and dates are written in each country or territory, and what is paid with there.

From CLDR 49 for Latin digits, for every language that is official in the territory as a whole. Where those
languages differ in the order of a date or the side of a symbol, the territory is left out of that table. Currencies
are those of legal tender in November 2026.
"""

NUMBERS = {
    (",", "."): """
        AD AR AT AZ BA BN BO BQ BR CL CO CY DE DK ES FO GL GR HR ID IS IT LA LB LU LY MD ME MK MR NL RO RS SI
        SM SR TR UY VA VE VN""",
    (".", ","): """
        AE AG AI AS AU BB BD BH BM BS BT BW BZ CC CK CN CU CX DM DO EG EH ER ET FJ FK FM GB GD GG GH GI GM GS
        GT GU GY HK HN IE IL IM IN IO IQ IR JE JM JO JP KE KH KI KN KP KR KW KY LC LK LR LS MH MM MN MP MS MT
        MV MW MX MY NA NF NG NI NP NR NU NZ OM PA PE PG PH PK PN PR PS PW QA SA SB SD SG SH SL SO SS SV SY TC
        TH TK TT TV TW TZ UG UM US VC VG VI WS YE ZM ZW""",
    (",", " "): """
        AL AM AO AX BF BG BJ BL BY CD CG CI CR CV CZ EE FI FR GA GE GF GN GP GW HT HU KG KZ LT LV MC MF ML MQ
        MZ NC NE NO PF PL PM PT RE RU SE SJ SK ST TG TJ TL TM UA UZ WF YT ZA""",
    (",", " ."): "BE CF DZ GQ MA SN TN",
    (".", "'"): "LI",
    (".", " ,"): "TO",
    (",.", "'"): "CH",
    (",.", ",."): "AF AW CW EC PY RW SX",
    (",.", " ,"): "CA CM DJ KM MG MO MU SC SZ TD VU",
    (",.", " ,."): "BI",
}
"""Decimal marks and marks between groups of digits, in any of the official languages."""

SYMBOL_FIRST = {
    True: """
        AF AG AI AR AS AT AU AW BB BM BN BO BQ BR BS BT BW BZ CC CK CL CN CO CR CU CW CX DM DO EC ET FJ FK FM
        GB GD GG GH GI GL GM GS GT GU GY HK HN ID IE IM IN IO IR JE JM JP KE KI KN KP KR KY LA LC LK LR LS MH
        MN MP MS MT MV MW MX MY NA NF NG NI NL NP NR NU NZ PA PE PH PK PN PR PW PY SB SG SH SL SR SS SV SX SZ
        TC TH TK TO TR TT TV TW TZ UG UM US UY VC VE VG VI WS ZA ZM ZW""",
    False: """
        AD AE AL AM AO AX AZ BA BD BF BG BH BJ BL BY CD CG CI CV CZ DE DJ DK DZ EE EG EH ES FI FO FR GA GE GF
        GN GP GQ GR GW HR HU IL IQ IS IT JO KG KH KM KW KZ LB LT LU LV LY MA MC MD ME MF MK ML MM MQ MR MZ NC
        NE NO OM PF PL PM PS PT QA RE RO RS RU SA SE SI SJ SK SM ST SY TD TG TJ TL TM TN UA UZ VA VN WF YE
        YT""",
}
"""Whether a currency's symbol stands before the amount."""

DATES = {
    ("dmy", "/"): """
        AD AE AG AI AO AR AU BB BD BF BH BJ BL BM BN BO BR BS BW BZ CC CD CF CG CI CK CM CO CR CU CV CX DJ DM
        DO DZ EC EG EH ES ET FJ FK FM FR GA GB GD GF GG GH GI GM GN GP GQ GR GS GT GW GY HK HN HT ID IE IM IN
        IO IQ IT JE JM JO KE KH KI KM KN KW KY LA LB LC LK LR LS LY MA MC MF MG ML MM MO MQ MR MS MT MU MW MX
        MY MZ NA NC NE NF NG NI NR NU OM PE PF PG PK PM PN PS PT PW PY QA RE RW SA SB SC SD SG SH SL SM SO SS
        ST SV SY SZ TC TD TG TH TJ TK TL TN TO TT TV TZ UG UY UZ VA VC VE VG VN VU WF WS YE YT ZM ZW""",
    ("dmy", "."): """
        AL AM AT AX AZ BA BG BY CH CZ DE DK EE FI FO GE HR IS KG KZ LI LV MD ME MK NO PL RO RS RU SI SJ SK TM
        TR UA""",
    ("dmy", "-"): "AW BQ CL CW MV NL SR",
    ("dmy", "./"): "BE CY IL LU",
    ("dmy", "-/"): "NZ SN SX",
    ("mdy", "/"): "AS GU MH MP PA PH PR UM US VI",
}
"""Order of day and month in a date of figures, and the marks between them."""

CURRENCIES = """
    AED: AE  AFN: AF  ALL: AL  AMD: AM  AOA: AO  ARS: AR  AUD: AU CC CX KI NF NR TV  AWG: AW  AZN: AZ  BAM: BA
    BBD: BB  BDT: BD  BHD: BH  BIF: BI  BMD: BM  BND: BN  BOB: BO  BRL: BR  BSD: BS  BTN: BT  BWP: BW  BYN: BY
    BZD: BZ  CAD: CA  CDF: CD  CHF: CH LI  CLP: CL  CNY: CN  COP: CO  CRC: CR  CUP: CU  CVE: CV  CZK: CZ
    DJF: DJ  DKK: DK FO GL  DOP: DO  DZD: DZ  EGP: EG  ERN: ER  ETB: ET
    EUR: AD AT AX BE BG BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM TF
    VA YT  FJD: FJ  FKP: FK  GBP: GB GG GS IM JE  GEL: GE  GHS: GH  GIP: GI  GMD: GM  GNF: GN  GTQ: GT  GYD: GY
    HKD: HK  HNL: HN  HTG: HT  HUF: HU  IDR: ID  ILS: IL PS  INR: BT IN  IQD: IQ  IRR: IR  ISK: IS  JMD: JM
    JOD: JO PS  JPY: JP  KES: KE  KGS: KG  KHR: KH  KMF: KM  KPW: KP  KRW: KR  KWD: KW  KYD: KY  KZT: KZ
    LAK: LA  LBP: LB  LKR: LK  LRD: LR  LSL: LS  LYD: LY  MAD: EH MA  MDL: MD  MGA: MG  MKD: MK  MMK: MM
    MNT: MN  MOP: MO  MRU: MR  MUR: MU  MVR: MV  MWK: MW  MXN: MX  MYR: MY  MZN: MZ  NAD: NA  NGN: NG  NIO: NI
    NOK: NO SJ  NPR: NP  NZD: CK NU NZ PN TK  OMR: OM  PAB: PA  PEN: PE  PGK: PG  PHP: PH  PKR: PK  PLN: PL
    PYG: PY  QAR: QA  RON: RO  RSD: RS  RUB: RU  RWF: RW  SAR: SA  SBD: SB  SCR: SC  SDG: SD  SEK: SE  SGD: SG
    SHP: SH  SLE: SL  SOS: SO  SRD: SR  SSP: SS  STN: ST  SYP: SY  SZL: SZ  THB: TH  TJS: TJ  TMT: TM  TND: TN
    TOP: TO  TRY: TR  TTD: TT  TWD: TW  TZS: TZ  UAH: UA  UGX: UG
    USD: AS BQ EC FM GU HT IO MH MP PA PR PW SV TC TL UM US VG VI ZW  UYU: UY  UZS: UZ  VES: VE  VND: VN
    VUV: VU  WST: WS  XAF: CF CG CM GA GQ TD  XCD: AG AI DM GD KN LC MS VC  XCG: CW SX
    XOF: BF BJ CI GW ML NE SN TG  XPF: NC PF WF  YER: YE  ZAR: LS NA ZA  ZMW: ZM  ZWG: ZW
"""
"""ISO 4217 currencies and the territories that pay with them."""
