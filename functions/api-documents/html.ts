import { createHash } from 'node:crypto';
import type { Document } from './cached.ts';

/** A page: its texts are HTML already. */
export interface Page {
  readonly title: string;
  readonly style: string;
  readonly body: string;
}

/** Returns a page without scripts, which may load nothing: only its own style, named by its digest, is applied. */
export function htmlDocument({ title, style, body }: Page): Document {
  const digest = createHash('sha256').update(style).digest('base64');
  return {
    type: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
${body}
</html>
`,
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns a string with the special characters of HTML escaped. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Returns a string as HTML, in which `words` in backticks become code. */
export function withCode(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
