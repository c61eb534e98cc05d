import { createHash } from 'node:crypto';
import type { ErrorExplanation } from '../../api/shapes/problems.ts';
import type { Document } from '../cached.ts';

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
section { border-top: 1px solid #8886; padding: .5rem 0 }
section:target { background: #fff6d6; color: #000 }
section:target a { color: #00e }
h2 { font: 600 1rem/1.5 ui-monospace, monospace; margin: .5rem 0 0; overflow-wrap: anywhere }
p { margin: .25rem 0 }
`;

/** Returns the page that explains the codes, each in a section whose id is the code. */
export function errorsPage(explanations: readonly ErrorExplanation[]): Document {
  return htmlDocument(
    'Errors · Deployment Webhooks',
    `<h1>Errors</h1>
<p>Every error is answered as <code>application/problem+json</code>; its <code>detail</code> says what was tried.</p>
${explanations.map(section).join('\n')}`,
  );
}

function section({ code, status, retry, reason, advice }: ErrorExplanation): string {
  const again = retry ? 'The same request may succeed later.' : 'The same request will fail again.';
  return `<section id="${escaped(code)}">
<h2><a href="#${escaped(code)}">${escaped(code)}</a> · ${status}</h2>
<p>${escaped(reason)} ${again}</p>
<p>${withCode(advice)}</p>
</section>`;
}

/** The page has no scripts and may load nothing: only its own style, named by its digest, is applied. */
function htmlDocument(title: string, body: string): Document {
  const digest = createHash('sha256').update(STYLE).digest('base64');
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
<title>${title}</title>
<style>${STYLE}</style>
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
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Returns a string as HTML, in which `words` in backticks become code. */
function withCode(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
