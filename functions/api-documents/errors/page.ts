import { createHash } from 'node:crypto';
import { inHtml } from '../../api/html.ts';
import type { ErrorExplanation } from '../../api/shapes/problems.ts';
import type { Document } from '../cached.ts';

const STYLE = `
:root { color-scheme: light dark; --bg: #fafafa; --card: #fff; --line: #e8e8e8; --text: #171717; --muted: #595959; --accent: #0a5fd1; --mark: #fdf6e8 }
@media (prefers-color-scheme: dark) {
:root { --bg: #0a0a0a; --card: #101010; --line: #222; --text: #ededed; --muted: #a3a3a3; --accent: #62a8ff; --mark: #1b1509 } }
body { font: 14px/1.5 Inter, -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; margin: 0; background: var(--bg); color: var(--text) }
header { padding: 0 max(16px, calc((100% - 860px) / 2)); border-bottom: 1px solid var(--line); background: var(--card); line-height: 56px }
main { padding: 32px max(16px, calc((100% - 860px) / 2)) 80px }
h1 { font-size: 24px; line-height: 30px; letter-spacing: -.025em; font-weight: 600; margin: 0 0 8px }
section { margin-top: -1px; padding: 14px 18px; border: 1px solid var(--line); background: var(--card) }
section:first-of-type { margin-top: 20px; border-radius: 10px 10px 0 0 }
section:last-of-type { border-radius: 0 0 10px 10px }
section:target { background: var(--mark) }
h2 { font-size: 14px; font-weight: 600; margin: 0; overflow-wrap: anywhere }
code { font: 12.5px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace }
p { margin: 4px 0 0; overflow-wrap: anywhere }
p.reason { color: var(--muted) }
a { color: var(--accent); text-underline-offset: 3px }
header a, h2 a { text-decoration: none }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
`;

/** Returns the page that explains the codes, each in a section whose id is the code. */
export function errorsPage(explanations: readonly ErrorExplanation[]): Document {
  return htmlDocument(
    'Errors · Deployment Webhooks',
    `<header><a href="./">Deployment Webhooks</a></header>
<main>
<h1>Errors</h1>
<p>Every error is answered as <code>application/problem+json</code>; its <code>detail</code> says what was tried.</p>
${explanations.map(section).join('\n')}
</main>`,
  );
}

function section({ code, status, retry, reason, advice }: ErrorExplanation): string {
  const again = retry ? 'The same request may succeed later.' : 'The same request will fail again.';
  return `<section id="${inHtml(code)}">
<h2><a href="#${inHtml(code)}"><code>${inHtml(code)}</code></a> · ${status}</h2>
<p class="reason">${inHtml(reason)} ${again}</p>
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

/** Returns a string as HTML, in which `words` in backticks become code. */
function withCode(text: string): string {
  return inHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
