/** A secret of a test, with the forms in which it could be found. */
export interface Canary {
  readonly name: string;
  readonly forms: readonly string[];
}

/**
 * Returns the forms of a secret: plain, as in a URL and in JSON, in hex, and in base64 at any place of a longer text.
 */
export function canary(name: string, secret: string): Canary {
  const hex = Buffer.from(secret).toString('hex');
  const base64 = [0, 1, 2].map((before) => inBase64(secret, before));
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    ...[hex, hex.toUpperCase()],
    ...[...base64, ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))],
  ];
  return { name, forms: [...new Set(forms)] };
}

/** Returns the names of the secrets in a text, each once. */
export function canariesIn(text: string, canaries: readonly Canary[]): readonly string[] {
  return canaries.flatMap(({ name, forms }) => (forms.some((form) => text.includes(form)) ? [name] : []));
}

/** Characters that also depend on what stands before and after the secret are left out. */
function inBase64(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
  return before === 0 ? whole : whole.slice(4);
}
