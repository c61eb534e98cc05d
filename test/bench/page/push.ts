import { randomUUID } from 'node:crypto';
import type { Aim } from '../load.ts';
import { basic, type Service } from '../service.ts';

/** Returns a push of a branch that is not deployed: its entry ends at once, with this message. */
export function skippedPush({ url, user, password, repositories }: Service, message: string): ReturnType<Aim> {
  const repository = { name: 'bench', full_name: `${user}/bench`, owner: { login: user }, private: false };
  const sha = randomUUID().replaceAll('-', '').padEnd(40, '0');
  const body = {
    ...{ ref: 'refs/heads/other', before: sha, after: sha },
    head_commit: { id: sha, message, author: { name: user } },
    repository: { ...repository, html_url: `${repositories}/${user}/bench` },
  };
  return {
    url: `${url}/1/deploy?branch=main`,
    headers: {
      authorization: basic(user, password),
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomUUID(),
    },
    body: JSON.stringify(body),
  };
}
