import type { ErrorCode } from '../../core/errors.ts';
import type { Document } from '../cached.ts';
import { escaped, htmlDocument, withCode } from '../html.ts';

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
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
section { border-top: 1px solid #8886; padding: .5rem 0 }
section:target { background: #fff6d6; color: #000 }
section:target a { color: #00e }
h2 { font: 600 1rem/1.5 ui-monospace, monospace; margin: .5rem 0 0; overflow-wrap: anywhere }
p { margin: .25rem 0 }
`;

/** Returns the page that explains the codes, each in a section whose id is the code. */
export function errorsPage(explanations: readonly Explanation[]): Document {
  return htmlDocument({
    title: 'Errors · Deployment Webhooks',
    style: STYLE,
    body: `<h1>Errors</h1>
<p>Every error is answered as <code>application/problem+json</code>; its <code>detail</code> says what was tried.</p>
${explanations.map(section).join('\n')}`,
  });
}

function section({ code, status, retry, reason, advice }: Explanation): string {
  const again = retry ? 'The same request may succeed later.' : 'The same request will fail again.';
  return `<section id="${escaped(code)}">
<h2><a href="#${escaped(code)}">${escaped(code)}</a> · ${status}</h2>
<p>${escaped(reason)} ${again}</p>
<p>${withCode(advice)}</p>
</section>`;
}
