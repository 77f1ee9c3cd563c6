"""Currencies and how they are named: ISO 4217 codes with their minor units, symbols, and words of English.

Codes are those of ISO 4217 as published on 1 January 2026, without metals, units of account and test codes.
Symbols are those of CLDR 49 and of common use.
"""

_TWO_DIGITS = """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW
    CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF
    IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK
    MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP
    SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG
    YER ZAR ZMW ZWG
"""
_NO_DIGITS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE_DIGITS = "BHD IQD JOD KWD LYD OMR TND"
_FOUR_DIGITS = "CLF UYW"

MINOR_UNITS = {
    code: digits
    for digits, codes in ((2, _TWO_DIGITS), (0, _NO_DIGITS), (3, _THREE_DIGITS), (4, _FOUR_DIGITS))
    for code in codes.split()
}
"""ISO 4217 code to the number of decimals that an amount in it has."""

_ONE = """
    EUR=€,euro,euros  GBP=£,sterling,pound_sterling,pounds_sterling,british_pound,british_pounds,uk£
    USD=us$,u$s,$us,us_dollar,us_dollars,u.s._dollar,u.s._dollars,american_dollars
    CAD=ca$,c$,can$,cdn$,canadian_dollar,canadian_dollars  AUD=a$,au$,australian_dollar,australian_dollars
    NZD=nz$,new_zealand_dollar,new_zealand_dollars  HKD=hk$,hong_kong_dollar,hong_kong_dollars
    SGD=s$,sg$,singapore_dollar,singapore_dollars  TWD=nt$,new_taiwan_dollar,new_taiwan_dollars
    MXN=mx$,mex$,mexican_peso,mexican_pesos  BRL=r$,real,reais,brazilian_real,brazilian_reais
    ARS=ar$  JMD=j$  TTD=tt$  BZD=bz$  XCD=ec$  BBD=bds$
    JPY=jp¥,yen,円,japanese_yen  CNY=cn¥,rmb,yuan,renminbi,人民币,chinese_yuan
    INR=₹,indian_rupee,indian_rupees  KRW=₩,원,south_korean_won  CHF=sfr,swiss_franc,swiss_francs
    PLN=zł,zloty,zlotys,złoty,złotych  CZK=kč,czech_koruna,czech_crowns  HUF=ft,forint,forints
    SEK=kronor,swedish_krona,swedish_kronor  NOK=norwegian_krone,norwegian_kroner  DKK=danish_krone,danish_kroner
    ISK=icelandic_krona,icelandic_kronur  RUB=₽,russian_rubles,russian_roubles  UAH=₴,hryvnia,hryvnias
    TRY=₺,tl,turkish_lira,turkish_liras  ILS=₪,shekel,shekels,nis  VND=₫  THB=฿,baht  PHP=₱,philippine_pesos
    NGN=₦,naira  GHS=₵,gh₵,cedi,cedis  CRC=₡  PYG=₲  KZT=₸,tenge  AZN=₼  GEL=₾  LAK=₭  MNT=₮  BDT=৳
    MYR=rm,ringgit  IDR=rp,rupiah  ZAR=rand,south_african_rand  AED=uae_dirham,uae_dirhams
    EGP=e£,egyptian_pounds  SAR=saudi_riyal,saudi_riyals  PEN=s/
"""

_POUNDS = "GBP EGP FKP GIP SHP SYP LBP SSP SDG"
_DOLLARS = """
    USD CAD AUD NZD HKD SGD TWD MXN ARS CLP COP UYU DOP CUP BSD BBD BZD BMD BND KYD FJD GYD JMD LRD NAD SBD SRD
    TTD XCD
"""
_CROWNS = "SEK NOK DKK ISK"
_FRANCS = "CHF XAF XOF XPF RWF BIF DJF GNF KMF CDF"
_RUPEES = "INR PKR LKR NPR MUR SCR"
_SEVERAL = {
    "$": _DOLLARS,
    "dollar": _DOLLARS,
    "dollars": _DOLLARS,
    "¥": "JPY CNY",
    "元": "CNY TWD HKD MOP",
    "圓": "TWD HKD MOP",
    "kr": _CROWNS,
    "krona": "SEK ISK",
    "krone": "NOK DKK",
    "kroner": "NOK DKK",
    "crowns": f"{_CROWNS} CZK",
    "fr": _FRANCS,
    "franc": _FRANCS,
    "francs": _FRANCS,
    "pound": _POUNDS,
    "pounds": _POUNDS,
    "peso": "MXN ARS CLP COP UYU DOP CUP PHP",
    "pesos": "MXN ARS CLP COP UYU DOP CUP PHP",
    "rs": _RUPEES,
    "rupee": _RUPEES,
    "rupees": _RUPEES,
    "ruble": "RUB BYN",
    "rubles": "RUB BYN",
    "roubles": "RUB BYN",
    "руб": "RUB BYN",
    "won": "KRW KPW",
    "lira": "TRY",
    "dirham": "AED MAD",
    "dirhams": "AED MAD",
    "dinar": "BHD DZD IQD JOD KWD LYD RSD TND",
    "dinars": "BHD DZD IQD JOD KWD LYD RSD TND",
    "riyal": "SAR QAR OMR YER IRR",
    "riyals": "SAR QAR OMR YER IRR",
    "r": "ZAR",
    "lei": "RON MDL",
    "leu": "RON MDL",
    "b/": "PAB",
}

UNSURE = ""
"""Stands among the currencies of a name that means one of them only where that is what is paid with."""

NAMES: dict[str, frozenset[str]] = {
    **{code.casefold(): frozenset({code}) for code in MINOR_UNITS},
    **{name: frozenset({*codes.split(), UNSURE}) for name, codes in _SEVERAL.items()},
    **{
        name.replace("_", " "): frozenset({entry.partition("=")[0]})
        for entry in _ONE.split()
        for name in entry.partition("=")[2].split(",")
    },
}
"""A code, symbol or word, folded, and the currencies that it may mean."""

RIVALS = {
    "£": frozenset(_POUNDS.split()) - {"GBP"},
    "₩": frozenset({"KPW"}),
    "원": frozenset({"KPW"}),
    "c$": frozenset({"NIO"}),
}
"""Currencies that a symbol means as well, but only where they are what is paid with."""
