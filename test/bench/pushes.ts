import { randomUUID } from 'node:crypto';
import type { Aim } from './load.ts';
import { pushPayload } from './push-payload.ts';

/** Where pushes go. */
export interface Addressed {
  readonly url: string;
  readonly password: string;
  readonly repositories: string;
}

/** Returns GitHub pushes of different commits, from several users with a repository each. */
export function pushes({ url, password, repositories }: Addressed, users: number): Aim {
  return (number) => {
    const user = `user-${1 + (number % users)}`;
    return {
      url: `${url}/1/deploy?branch=main`,
      headers: {
        authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': randomUUID(),
      },
      body: pushPayload(user, repositories),
    };
  };
}
