/** A deployment with its states, newest first. */
interface Deployment {
  readonly id: number;
  readonly payload: unknown;
  readonly environment: string;
  readonly transient: boolean;
  readonly statuses: { readonly state: string; readonly environment_url?: string }[];
}

/** The part of GitHub's API that a deploy is reported to, for all repositories in one; each token is that of `octo`. */
export interface FakeReports {
  /** The contexts and states of the commit statuses, in order. */
  readonly statuses: { readonly context: string; readonly state: string }[];
  readonly deployments: Deployment[];
  readonly comments: { readonly id: number; body: string; readonly user: { readonly login: string } }[];
  /** Returns null for another call. */
  answer(call: string, body: string): { readonly status: number; readonly json: unknown } | null;
}

export function fakeReports(): FakeReports {
  const statuses: FakeReports['statuses'] = [];
  const deployments: Deployment[] = [];
  const comments: FakeReports['comments'] = [];
  const user = { login: 'octo' };
  return {
    statuses,
    deployments,
    comments,
    answer(call, body) {
      const of = call.replace(/\/repos\/[^/]+\/[^/]+/, '');
      const sent = body === '' ? {} : JSON.parse(body);
      const id = Number(/\d+/.exec(of)?.[0]);
      const deployment = deployments.find((one) => one.id === id);
      switch (of.replace(/\d+/, 'N')) {
        case 'GET /user':
          return { status: 200, json: user };
        case 'GET /deployments':
          return { status: 200, json: deployments.toReversed() };
        case 'POST /deployments': {
          const { payload, environment, transient_environment: transient } = sent;
          const made = { id: deployments.length + 1, payload, environment, transient, statuses: [] };
          deployments.push(made);
          return { status: 201, json: made };
        }
        case 'GET /deployments/N/statuses':
          return { status: 200, json: deployment?.statuses };
        case 'POST /deployments/N/statuses':
          deployment?.statuses.unshift(sent);
          return { status: 201, json: sent };
        case 'GET /issues/N/comments':
          return { status: 200, json: comments };
        case 'POST /issues/N/comments':
          comments.push({ id: comments.length + 1, body: sent.body, user });
          return { status: 201, json: comments.at(-1) };
        case 'PATCH /issues/comments/N':
          Object.assign(comments[id - 1] ?? {}, sent);
          return { status: 200, json: comments[id - 1] };
      }
      if (!of.startsWith('POST /statuses/')) return null;
      statuses.push(sent);
      return { status: 201, json: sent };
    },
  };
}
