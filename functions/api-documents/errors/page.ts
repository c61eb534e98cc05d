import type { ErrorCode } from '../../core/errors.ts';

/** One error code as `GET /errors` explains it. */
export interface Explanation {
  /** The address of this explanation: the `type` of every problem document with this code. */
  readonly type: string;
  readonly code: ErrorCode;
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retry: boolean;
  readonly reason: string;
  readonly advice: string;
}

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
section { border-top: 1px solid #ccc; padding: .5rem 0 }
section:target { background: #fff6d6; color: #000 }
h2 { font: 600 1rem/1.5 ui-monospace, monospace; margin: .5rem 0 0 }
p { margin: .25rem 0 }`;

/** Returns the page that explains the codes, each in a section whose id is the code. */
export function page(explanations: readonly Explanation[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Errors · Deployment Webhooks</title>
<style>${STYLE}
</style>
<h1>Errors</h1>
<p>Every error is answered as <code>application/problem+json</code>; its <code>detail</code> says what was tried.</p>
${explanations.map(section).join('\n')}
</html>
`;
}

function section({ code, status, retry, reason, advice }: Explanation): string {
  const again = retry ? 'The same request may succeed later.' : 'The same request will fail again.';
  return `<section id="${escaped(code)}">
<h2><a href="#${escaped(code)}">${escaped(code)}</a> · ${status}</h2>
<p>${escaped(reason)} ${again}</p>
<p>${escaped(advice)}</p>
</section>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
