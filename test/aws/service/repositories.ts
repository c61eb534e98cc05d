import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { basicHeader } from '../../../functions/core/basic-auth.ts';
import { DeployError } from '../../../functions/core/errors.ts';
import type { MovedRef } from '../../../functions/core/payload/moved-ref.ts';
import type { VerifyLogin } from '../../../functions/core/ports/accounts.ts';
import { client } from '../../../lib/client/client.ts';
import { localFetch } from '../../../lib/http/local-fetch.ts';
import type { ReservedPort } from '../../../lib/http/ports.ts';
import type { Login } from '../../../lib/local/config/users.ts';
import { openOwn } from '../../../lib/local/programs/repositories.ts';
import { follow, pageOf } from '../../../lib/local/show/follow-push.ts';
import { localHost } from '../../../lib/repohost/local-host.ts';
import type { Receiver } from '../../../lib/repohost/push/receiver.ts';
import { type RepoHost, startRepoHost } from '../../../lib/repohost/repohost.ts';
import { githubFront } from './github-front.ts';

interface Place {
  readonly dataDir: string;
  /** Where the functions find GitHub's API. */
  readonly port: ReservedPort;
  /** Address of the service. */
  readonly url: string;
  readonly login: Login;
  readonly warn: (sentence: string) => void;
}

/**
 * Starts the repository host of one machine for a stack, to which it is GitHub: its API is at `url`, and a push calls the
 * webhook.
 */
export async function stackRepositories({ dataDir, port, url, login, warn }: Place): Promise<RepoHost> {
  const open = await openOwn(dataDir);
  const verify = serviceLogin(url);
  const api = `http://127.0.0.1:${port.port}`;
  const front = await githubFront({ host: localHost(open, { name: 'local', verify }), user: login.user, verify }, port);
  const host = await startRepoHost(open, { port: 0, verify, receiver: receiverOf({ url, login, api }), log: warn });
  return {
    ...host,
    url: api,
    close: async () => {
      front.closeAllConnections();
      await Promise.all([host.close(), new Promise((closed) => front.close(closed))]);
    },
  };
}

/** The API of the service accepts a login or not. */
function serviceLogin(url: string): VerifyLogin {
  return async (user, secret) => {
    const address = `${url}/1/status/${encodeURIComponent(user)}/webhooks?limit=1`;
    const headers = { authorization: basicHeader(`${user}:${secret}`) };
    const { ok, status, headers: told, body } = await localFetch(address, { headers });
    await body.cancel();
    if (status === 429) {
      throw new DeployError('request:throttled', 'Try again.', { retryAfter: Number(told.get('retry-after') ?? 1) });
    }
    if (!ok && status !== 401 && status !== 403) throw new Error(`The service answered a login with ${status}.`);
    return ok;
  };
}

const Row = v.object({ id: v.string(), status: v.string(), reason: v.nullish(v.string()) });
/** A stack may have no run free for a webhook. */
const ATTEMPTS = 10;

function receiverOf({ url, login, api }: Pick<Place, 'url' | 'login'> & { readonly api: string }): Receiver {
  const { user, password: secret } = login;
  return {
    async accept(moved) {
      const headers = {
        ...{ 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': crypto.randomUUID() },
        authorization: basicHeader(`${user}:${secret}`),
      };
      const address = `${url}/1/deploy?branch=${encodeURIComponent(moved.defaultBranch)}`;
      for (let attempt = 1; ; attempt += 1) {
        const sent = { method: 'POST', headers, body: JSON.stringify(payloadOf(moved, api)) };
        const answer = await localFetch(address, sent);
        const text = await answer.text();
        if (answer.ok) {
          const { id, status, reason = null } = v.parse(Row, JSON.parse(text));
          return { status, reason, entry: id, page: pageOf(id), isFollowed: answer.status === 202 };
        }
        if (answer.status < 500 || attempt === ATTEMPTS) throw new DeployError('request:failed', text);
        await setTimeout(1000);
      }
    },
    missedAfter: async () => null,
    deployedBy: async ({ name: app }) => ({ app, environment: null }),
    follow: ({ entry }, watching) => follow({ entry, client: (of) => client({ url, user: of, secret }), ...watching }),
  };
}

/** https://docs.github.com/webhooks/webhook-events-and-payloads#push */
function payloadOf({ owner, name, ref, before, after, forced, message, author, ...moved }: MovedRef, api: string) {
  const none = '0'.repeat(40);
  return {
    ...{ ref, before: before ?? none, after: after ?? none, forced, deleted: after === null },
    head_commit: after && { message, author: { name: author } },
    pusher: { name: author },
    repository: {
      ...{ name, full_name: `${owner}/${name}`, private: moved.private, html_url: `${api}/${owner}/${name}` },
      owner: { login: owner },
    },
  };
}
