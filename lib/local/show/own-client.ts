import { DeployError } from '../../../functions/core/errors.ts';
import { type ApiRequest, type Client, Problem, SILENCE_MS } from '../../client/client.ts';
import { linesOf } from '../../client/lines.ts';
import type { Engine } from '../../engine/engine.ts';

/** Returns the client of this process for a user: it sends no request, needs no login, and only reads. */
export function ownClient(
  { read }: Pick<Engine, 'read'>,
  { user, base }: { readonly user: string; readonly base: string },
): Client {
  const answered = async ({ path, query = {} }: ApiRequest, gone: AbortSignal) => {
    const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]));
    const asked = { path: `/1/${path.map(encodeURIComponent).join('/')}`, query: Object.fromEntries(given) };
    return read({ ...asked, user, base, gone }).catch(asProblem);
  };
  return {
    user,
    call: async (request) => {
      const answer = await answered(request, new AbortController().signal);
      return 'value' in answer ? answer.value : null;
    },
    async *lines(request) {
      const gone = new AbortController();
      try {
        const answer = await answered(request, gone.signal);
        const { silenceMs = SILENCE_MS, signal } = request;
        if ('chunks' in answer) yield* linesOf(ReadableStream.from(answer.chunks), { silenceMs, signals: [signal] });
      } finally {
        gone.abort();
      }
    },
  };
}

function asProblem(error: unknown): never {
  if (!(error instanceof DeployError)) throw error;
  throw new Problem(error.status, error.code, '', error.detail, false, null);
}
