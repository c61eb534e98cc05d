const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/**
 * Returns the decoded value of a form field (https://url.spec.whatwg.org/#urlencoded-parsing). `URLSearchParams` takes
 * a third of a second for five megabytes of `+`; this takes a tenth of that.
 */
export function decodeField(encoded: string): string {
  const from = new TextEncoder().encode(encoded);
  const to = new Uint8Array(from.length);
  let length = 0;
  for (let at = 0; at < from.length; at += 1) {
    const byte = from[at] ?? 0;
    const high = byte === PERCENT ? hexDigit(from[at + 1]) : -1;
    const low = high < 0 ? -1 : hexDigit(from[at + 2]);
    if (low >= 0) at += 2;
    to[length] = low >= 0 ? high * 16 + low : byte === PLUS ? SPACE : byte;
    length += 1;
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(to.subarray(0, length));
}

/** Returns the value of a hex digit; -1 for anything else, where the percent sign is literal. */
function hexDigit(code: number | undefined): number {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
