import { randomUUID } from 'node:crypto';
import type { Aim } from './load.ts';
import { pushPayload } from './push-payload.ts';
import { basic, type Service } from './service.ts';

/** How many repositories the pushes are of: those of one repository wait for each other in its order. */
export const SHAPES = [
  { repositories: 20, name: '20 repositories' },
  { repositories: 1, name: 'one repository' },
] as const;

/** Returns GitHub pushes of different commits, from several users with a repository each, to the service or a peer. */
export function pushes(service: Service, users: number, url = `${service.url}/1/deploy?branch=main`): Aim {
  return (number) => {
    const user = `user-${1 + (number % users)}`;
    return {
      url,
      headers: {
        authorization: basic(user, service.password),
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': randomUUID(),
      },
      body: pushPayload(user, service.repositories),
    };
  };
}
