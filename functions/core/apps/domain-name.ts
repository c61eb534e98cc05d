/** https://www.rfc-editor.org/rfc/rfc1123#section-2.1 */
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;
const MAX_LENGTH = 253;

/**
 * Returns a domain name as a browser sends it as Host: in lower case, other letters as Punycode. Null for what is none:
 * addresses, single labels and wildcards.
 */
export function domainName(text: string): string | null {
  if (/[^\p{L}\p{M}\p{N}.-]/u.test(text) || !URL.canParse(`http://${text}`)) return null;
  const name = new URL(`http://${text}`).hostname.replace(/\.$/, '');
  const labels = name.split('.');
  const isName = labels.length > 1 && name.length <= MAX_LENGTH && labels.every((label) => LABEL.test(label));
  // The URL parser takes a name whose last label is a number for an address.
  return isName && /[^\d.]/.test(labels.at(-1) ?? '') ? name : null;
}
