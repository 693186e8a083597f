//! Currencies: codes, the signs and words that stand for them, and where these stand.
//!
//! A sign that several currencies share is none of them, and agrees with each.

/// A currency, as far as it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Currency {
    /// A code of ISO 4217.
    Code([u8; 3]),
    /// `$`: any dollar or peso.
    Dollar,
    /// `¥`: yen or yuan.
    Yen,
    /// `kr`: any of the Nordic crowns.
    Crown,
    /// `£`: any pound.
    Pound,
    /// `Rs`: any rupee.
    Rupee,
}

/// Every code of ISO 4217 in use, in the order of letters.
const CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD \
    CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD \
    HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL \
    MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD \
    RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD \
    UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG";

/// Codes that are also words: before a number they are one, unless it is written as money is.
const WORDS: &[&str] = &["ALL", "COP", "CUP", "GEL", "MAD", "MOP", "PEN", "SOS", "TOP", "TRY"];

const DOLLARS: &str = "ARS AUD BBD BMD BND BSD BZD CAD CLP COP CUP CVE DOP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD SGD \
    SRD TTD TWD USD UYU XCD";
const YENS: &str = "CNY JPY";
const CROWNS: &str = "DKK ISK NOK SEK";
const POUNDS: &str = "EGP FKP GBP GIP LBP SDG SHP SSP SYP";
const RUPEES: &str = "INR LKR MUR NPR PKR SCR";

const SHARED: [(Currency, &str, &str); 5] = [
    (Currency::Dollar, "$", DOLLARS),
    (Currency::Yen, "¥", YENS),
    (Currency::Crown, "kr", CROWNS),
    (Currency::Pound, "£", POUNDS),
    (Currency::Rupee, "Rs", RUPEES),
];

/// Where a sign stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Before,
    Behind,
    Both,
}

const fn code(code: &[u8; 3]) -> Currency {
    Currency::Code(*code)
}

/// Signs and words, the longer before what they begin or end with; letters in small, unless case tells them from a word.
const SIGNS: &[(&str, Currency, Side)] = &[
    ("us$", code(b"USD"), Side::Both),
    ("ca$", code(b"CAD"), Side::Before),
    ("au$", code(b"AUD"), Side::Before),
    ("hk$", code(b"HKD"), Side::Before),
    ("nz$", code(b"NZD"), Side::Before),
    ("mx$", code(b"MXN"), Side::Before),
    ("nt$", code(b"TWD"), Side::Before),
    ("a$", code(b"AUD"), Side::Before),
    ("c$", code(b"CAD"), Side::Before),
    ("r$", code(b"BRL"), Side::Both),
    ("s$", code(b"SGD"), Side::Before),
    ("$", Currency::Dollar, Side::Both),
    ("＄", Currency::Dollar, Side::Both),
    ("€", code(b"EUR"), Side::Both),
    ("£", Currency::Pound, Side::Both),
    ("￡", Currency::Pound, Side::Both),
    ("¥", Currency::Yen, Side::Both),
    ("￥", Currency::Yen, Side::Both),
    ("円", code(b"JPY"), Side::Behind),
    ("元", code(b"CNY"), Side::Behind),
    ("₹", code(b"INR"), Side::Both),
    ("₽", code(b"RUB"), Side::Both),
    ("₩", code(b"KRW"), Side::Both),
    ("￦", code(b"KRW"), Side::Both),
    ("₺", code(b"TRY"), Side::Both),
    ("₴", code(b"UAH"), Side::Both),
    ("₪", code(b"ILS"), Side::Both),
    ("₫", code(b"VND"), Side::Both),
    ("₱", code(b"PHP"), Side::Both),
    ("₦", code(b"NGN"), Side::Both),
    ("₡", code(b"CRC"), Side::Both),
    ("₲", code(b"PYG"), Side::Both),
    ("₸", code(b"KZT"), Side::Both),
    ("₼", code(b"AZN"), Side::Both),
    ("₾", code(b"GEL"), Side::Both),
    ("฿", code(b"THB"), Side::Both),
    ("kronor", code(b"SEK"), Side::Behind),
    ("kroner", Currency::Crown, Side::Behind),
    ("kr.", Currency::Crown, Side::Before),
    ("kr", Currency::Crown, Side::Both),
    ("rs.", Currency::Rupee, Side::Before),
    ("rs", Currency::Rupee, Side::Before),
    ("rupees", Currency::Rupee, Side::Behind),
    ("rp.", code(b"IDR"), Side::Before),
    ("rp", code(b"IDR"), Side::Before),
    ("RM", code(b"MYR"), Side::Before),
    ("sfr.", code(b"CHF"), Side::Before),
    ("sfr", code(b"CHF"), Side::Before),
    ("złotych", code(b"PLN"), Side::Behind),
    ("złote", code(b"PLN"), Side::Behind),
    ("złoty", code(b"PLN"), Side::Behind),
    ("zł", code(b"PLN"), Side::Behind),
    ("kč", code(b"CZK"), Side::Behind),
    ("Ft", code(b"HUF"), Side::Behind),
    ("TL", code(b"TRY"), Side::Both),
    ("лв", code(b"BGN"), Side::Behind),
    ("грн", code(b"UAH"), Side::Behind),
    ("рублей", code(b"RUB"), Side::Behind),
    ("рубля", code(b"RUB"), Side::Behind),
    ("рубль", code(b"RUB"), Side::Behind),
    ("руб", code(b"RUB"), Side::Behind),
    ("euros", code(b"EUR"), Side::Behind),
    ("euro", code(b"EUR"), Side::Both),
    ("eur", code(b"EUR"), Side::Behind),
    ("usd", code(b"USD"), Side::Behind),
    ("gbp", code(b"GBP"), Side::Behind),
    ("chf", code(b"CHF"), Side::Behind),
    ("dollars", Currency::Dollar, Side::Behind),
    ("dollar", Currency::Dollar, Side::Behind),
    ("dólares", Currency::Dollar, Side::Behind),
    ("yen", code(b"JPY"), Side::Behind),
    ("yuan", code(b"CNY"), Side::Behind),
];

impl Currency {
    /// A code in capital letters, if there is such a currency.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Currency> {
        let (code, rest) = code.as_bytes().split_first_chunk::<3>()?;
        let (codes, last) = CODES.as_bytes().as_chunks::<4>();
        let is_known = || codes.binary_search_by(|known| known.first_chunk::<3>().cmp(&Some(code))).is_ok();
        let is_one = rest.is_empty() && code.iter().all(u8::is_ascii_uppercase) && (last == code || is_known());
        is_one.then_some(Currency::Code(*code))
    }

    /// A text that is a currency and nothing else, as a code in any case or as a sign.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Currency> {
        let text = text.trim();
        let of_sign = || SIGNS.iter().find(|(sign, ..)| is_same(sign, text)).map(|(_, currency, _)| *currency);
        Currency::of_code(&text.to_ascii_uppercase()).or_else(of_sign)
    }

    /// The code, or the sign that several share.
    #[must_use]
    pub fn name(&self) -> &str {
        let shared = SHARED.iter().find(|(shared, ..)| shared == self).map(|(_, sign, _)| *sign);
        match self {
            Currency::Code(code) => std::str::from_utf8(code).unwrap_or_default(),
            _ => shared.unwrap_or_default(),
        }
    }

    /// The sign that it shares with others, of a code that shares one.
    #[must_use]
    pub fn shared(&self) -> Option<Currency> {
        let Currency::Code(_) = self else { return None };
        let name = self.name();
        SHARED.iter().find(|(_, _, codes)| codes.split(' ').any(|code| code == name)).map(|(shared, ..)| *shared)
    }

    /// True if both can be one currency.
    #[must_use]
    pub fn agrees(&self, other: &Currency) -> bool {
        self == other || self.shared() == Some(*other) || other.shared() == Some(*self)
    }

    /// The narrower of two that agree.
    pub(super) fn and(self, other: Currency) -> Option<Currency> {
        let narrower = if matches!(self, Currency::Code(_)) { self } else { other };
        self.agrees(&other).then_some(narrower)
    }
}

/// The same letters, whatever their case, unless the sign itself has capital ones.
fn is_same(sign: &str, text: &str) -> bool {
    if sign.chars().any(char::is_uppercase) {
        sign == text
    } else {
        text.chars().flat_map(char::to_lowercase).eq(sign.chars())
    }
}

/// True if two characters can be the same in one case.
fn is_near(known: Option<char>, found: char) -> bool {
    known.is_some_and(|known| {
        known == found || known.eq_ignore_ascii_case(&found) || (!found.is_ascii() && found.to_lowercase().eq([known]))
    })
}

fn is_letter(sign: Option<char>) -> bool {
    sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_')
}

/// The currency that a text ends with, and where it begins; `is_money` says that the number behind it is written as money.
pub(super) fn at_end(text: &str, is_money: bool) -> Option<(usize, Currency)> {
    let cut = |length: usize| text.len().checked_sub(length).and_then(|at| Some((at, text.get(at..)?)));
    let is_apart = |at: usize| !is_letter(text.get(..at).and_then(|before| before.chars().next_back()));
    let of_code = cut(3).filter(|(at, code)| is_apart(*at) && (is_money || !WORDS.contains(code)));
    if let Some((at, currency)) = of_code.and_then(|(at, code)| Some((at, Currency::of_code(code)?))) {
        return Some((at, currency));
    }
    let last = text.chars().next_back()?;
    let signs = SIGNS.iter().filter(|(sign, _, side)| *side != Side::Behind && is_near(sign.chars().next_back(), last));
    signs.copied().find_map(|(sign, currency, _)| {
        let (at, found) = cut(sign.len())?;
        let is_word = sign.starts_with(char::is_alphabetic);
        (is_same(sign, found) && (!is_word || is_apart(at))).then_some((at, currency))
    })
}

/// The currency that a text begins with, and its length.
pub(super) fn at_start(text: &str) -> Option<(usize, Currency)> {
    let cut = |length: usize| text.get(..length);
    let is_apart = |length: usize| !is_letter(text.get(length..).and_then(|behind| behind.chars().next()));
    let of_code = cut(3).filter(|_| is_apart(3)).and_then(Currency::of_code);
    if let Some(currency) = of_code {
        return Some((3, currency));
    }
    let first = text.chars().next()?;
    let signs = SIGNS.iter().filter(|(sign, _, side)| *side != Side::Before && is_near(sign.chars().next(), first));
    signs.copied().find_map(|(sign, currency, _)| {
        let found = cut(sign.len())?;
        let is_word = sign.ends_with(|last: char| last.is_alphabetic() && !super::is_unspaced(last));
        (is_same(sign, found) && (!is_word || is_apart(sign.len()))).then_some((sign.len(), currency))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_sign_agrees_with_each_of_its_currencies_and_no_other() {
        let of = |text| Currency::of_text(text).unwrap();
        assert!(of("$").agrees(&of("USD")) && of("CAD").agrees(&of("$")) && of("¥").agrees(&of("CNY")));
        assert!(!of("USD").agrees(&of("CAD")) && !of("$").agrees(&of("EUR")) && !of("kr").agrees(&of("$")));
        assert_eq!(of("$").and(of("CAD")), Some(of("CAD")));
        assert_eq!(of("€"), of("eur"));
        assert_eq!((of("USD").name(), of("¥").name()), ("USD", "¥"));
        assert_eq!(Currency::of_text("points"), None);
    }

    #[test]
    fn every_code_is_found() {
        assert!(CODES.split(' ').is_sorted());
        assert!(CODES.split(' ').all(|code| Currency::of_code(code).unwrap().name() == code));
        assert!(["eur", "EURO", "EU", "", "XTS"].iter().all(|code| Currency::of_code(code).is_none()));
    }

    #[test]
    fn every_shared_code_is_one() {
        for code in [DOLLARS, YENS, CROWNS, POUNDS, RUPEES].iter().flat_map(|codes| codes.split(' ')) {
            assert!(Currency::of_code(code).is_some(), "{code}");
        }
        assert!(WORDS.iter().all(|code| Currency::of_code(code).is_some()));
    }
}
