/** Texts of a page that have a digit and are not numbers with a source: each must be one that somebody else wrote. */

/** What the page itself says with a digit in it, and why that is not a number of an event. */
const PHRASES = [
  [/last 1,000( samples|$)/i, 'the window over which the learner computes recent numbers'],
  [/^fewer than 1,000 samples were tested/i, 'a limit of a check'],
  [/95 % interval/, 'a name'],
  [/^(Ingestion |Incorporation, )?p(50|99)( latency)?$/, 'a name'],
  [/^99 % of the latest events were processed within$/, 'the name of the number behind it'],
  [/^SHA-256$/, 'a name'],
  [/^(F1\b.*|R2|Among the [35] most probable|Quantile loss of 0\.[19])$/i, 'the name of a metric'],
  [/^above 0: the new model is worse$/, 'how a sign is read'],
  [/one sample in 64\.$/, 'a constant of the learner'],
  [/^(5|30) min$|^2 h$/, 'a span of time to choose'],
  [/ in the last (\d+ s|\d+ min)\b/, 'the span of time that a chart shows'],
  [/^updates in ([\d.]+ (s|min|h|d)|\d+ (min|h|d) \d+ (s|min|h))$/, 'the length of an axis'],
  [/^Connected for (less than )?\d+ (s|min|h)\b/, 'time of the page, which no event has'],
  [/^Show the first 10$/, 'a length of the page'],
];

/** Texts that can be seen, have a digit, and are not inside a number. */
export async function untracedTexts(page) {
  return page.evaluate(() => {
    const found = [];
    for (const part of document.querySelectorAll('header.top, main')) {
      const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode.textContent;
        const element = texts.currentNode.parentElement;
        if (/\d/.test(text) && !element.closest('.num[data-value], .hidden') && element.checkVisibility()) {
          found.push(text);
        }
      }
    }
    return found;
  });
}

/** Parts of a word so long are no chance: digests and payloads are shown in part. */
const LONG = 12;

/** @returns whether somebody wrote a text: it is one of these values, or a part of one, or a phrase of the page */
export function explainedBy(values) {
  const known = new Set();
  values.forEach((value) => collect(value, known));
  const all = [...known].join('\n');
  return (shown) => {
    const text = plainest(shown);
    if (PHRASES.some(([pattern]) => pattern.test(shown.replaceAll('\u00a0', ' ').trim()))) {
      return true;
    }
    return /[a-z]/.test(text) ? isIn(all, text) : known.has(text);
  };
}

function collect(value, into) {
  if (typeof value === 'string') {
    into.add(plainest(value));
  } else if (value !== null && typeof value === 'object') {
    for (const [name, inner] of Object.entries(value)) {
      if (/[a-z]/i.test(name)) {
        into.add(plainest(name));
      }
      collect(inner, into);
    }
  }
}

function plainest(text) {
  return text.replaceAll('\u00a0', ' ').trim().replace(/\.$/, '').toLowerCase();
}

/** Whole words only: "12 s" is not in "0.12 samples". */
function isIn(all, text) {
  const isWord = (character) => character !== undefined && /[\w.,]/.test(character);
  for (let from = all.indexOf(text); from >= 0; from = all.indexOf(text, from + 1)) {
    if (!isWord(all[from - 1]) && (text.length >= LONG || !/\w/.test(all[from + text.length] ?? ''))) {
      return true;
    }
  }
  return false;
}
