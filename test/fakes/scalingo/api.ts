import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { matched } from '../routes.ts';
import { FakeApp, FakeDeployment } from './state.ts';

/** An answer of the fake: JSON, or text. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly location?: string;
}

/** A request to the API, after its login. */
export interface ApiRequest {
  readonly method: string;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly json: unknown;
}

type Names = Readonly<Record<string, string>>;
type Handler = (request: ApiRequest, names: Names) => Answer;
type AppHandler = (app: FakeApp, request: ApiRequest, names: Names) => Answer;

const ok = (body: unknown, status = 200): Answer => ({ status, body });
/** A refusal in the form of Scalingo: https://developers.scalingo.com/#errors */
export const refusal = (status: number, error: string): Answer => ({ status, body: { error } });
const invalid = (errors: Readonly<Record<string, readonly string[]>>): Answer => ({ status: 422, body: { errors } });
const notFound: Answer = { status: 404, body: { resource: 'app', error: 'not found' } };
/** The API says that an app does nothing else meanwhile, not with which status; the service must never meet it. */
const busy = refusal(409, 'an operation is already running on this app');

/** Reads what is at an address, as Scalingo reads archives. */
export type Download = (url: URL) => Buffer | undefined | Promise<Buffer | undefined>;

/** The account whose token the fake accepts. */
const SERVICE = 'service';
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SIGNED = 'X-Amz-Signature';

/** Scalingo's API, without HTTP. */
export class FakeScalingoApi {
  readonly apps = new Map<string, FakeApp>();
  /** The address of the server, known when it listens. */
  base = '';
  readonly #routes: readonly (readonly [string, Handler])[];
  readonly #download: Download;

  constructor(download: Download) {
    this.#download = download;
    this.#routes = [
      ['POST apps', ({ json }) => this.#create(v.parse(NewApp, json).app.name)],
      ['GET apps/:app', onApp(this.apps, (app) => ok({ app: shown(app) }))],
      ['DELETE apps/:app', onApp(this.apps, (app, { query }) => this.#delete(app, query))],
      ['POST apps/:app/deployments', onApp(this.apps, (app, { json }) => this.#deploy(app, json))],
      ['GET apps/:app/deployments', onApp(this.apps, listDeployments)],
      ['GET apps/:app/deployments/:id', onApp(this.apps, showDeployment)],
      ['GET apps/:app/deployments/:id/output', onApp(this.apps, deploymentOutput)],
      ['GET apps/:app/containers', onApp(this.apps, (app) => ok({ containers: containersOf(app) }))],
      ['POST apps/:app/scale', onApp(this.apps, (app, { json }) => this.#scale(app, json))],
      ['POST apps/:app/restart', onApp(this.apps, (app, { json }) => this.#restart(app, json))],
      ['GET apps/:app/operations/:id', onApp(this.apps, showOperation)],
      ['GET apps/:app/variables', onApp(this.apps, (app) => ok({ variables: [...app.variables.values()] }))],
      ['PUT apps/:app/variables', onApp(this.apps, putVariables)],
      ['DELETE apps/:app/variables/:id', onApp(this.apps, deleteVariable)],
      ['GET apps/:app/logs', onApp(this.apps, (app) => ok({ logs_url: `${this.base}/logs/${app.id}?token=secret` }))],
    ];
  }

  answer(request: ApiRequest): Answer {
    for (const [route, handler] of this.#routes) {
      const [method = '', pattern = ''] = route.split(' ');
      const names = method === request.method ? matched(pattern.split('/'), request.path) : null;
      if (names) return answerOf(() => handler(request, names));
    }
    return refusal(404, 'not found');
  }

  /** Makes an app, also of another account. */
  add(name: string, owner: string): FakeApp {
    const app = new FakeApp(name, owner, `${this.base}/web/${name}`);
    this.apps.set(name, app);
    return app;
  }

  #create(name: string): Answer {
    if (!NAME.test(name) || name.length < 6 || name.length > 48) {
      return invalid({ name: ['should contain only lowercap letters, digits and hyphens'] });
    }
    if (this.apps.has(name)) return invalid({ name: ['is already taken'] });
    return ok({ app: shown(this.add(name, SERVICE)) }, 201);
  }

  #delete(app: FakeApp, query: URLSearchParams): Answer {
    if (query.get('current_name') !== app.name) return invalid({ current_name: ['does not match'] });
    if (app.isBusy) return busy;
    this.apps.delete(app.name);
    return { status: 204 };
  }

  #deploy(app: FakeApp, json: unknown): Answer {
    const { git_ref, source_url } = v.parse(NewDeployment, json).deployment;
    if (app.isBusy) return busy;
    const url = new URL(source_url);
    const archive = Promise.resolve(url.searchParams.has(SIGNED) ? this.#download(url) : undefined);
    const deployment = new FakeDeployment(app, git_ref, archive);
    app.deployments.unshift(deployment);
    return ok({ deployment: shownDeployment(deployment) }, 201);
  }

  /** Before its first deployment an app is scaled at once. */
  #scale(app: FakeApp, json: unknown): Answer {
    if (app.isBusy) return busy;
    for (const { name, amount } of v.parse(Scaling, json).containers) {
      if (!app.formation.has(name)) return { status: 404, body: { resource: 'container_type', error: 'not found' } };
      app.formation.set(name, amount);
    }
    const containers = containersOf(app);
    return app.program ? { ...ok({ containers }, 202), ...this.#operation(app, 'scale') } : ok({ containers });
  }

  #restart(app: FakeApp, json: unknown): Answer {
    v.parse(Restart, json);
    return app.isBusy ? busy : { status: 202, ...this.#operation(app, 'restart') };
  }

  #operation(app: FakeApp, type: string): { readonly location: string } {
    return { location: `${this.base}/v1/apps/${app.name}/operations/${app.operate(type).id}` };
  }
}

const NewApp = v.object({ app: v.object({ name: v.string() }) });
const NewDeployment = v.object({
  deployment: v.object({ git_ref: v.string(), source_url: v.pipe(v.string(), v.url()) }),
});
const Scaling = v.object({ containers: v.array(v.object({ name: v.string(), amount: v.number() })) });
const Restart = v.object({ scope: v.array(v.string()) });
const Variables = v.object({ variables: v.array(v.object({ name: v.string(), value: v.string() })) });

/** A body of another shape is refused, as it is by Scalingo. */
function answerOf(work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    if (error instanceof v.ValiError) return invalid({ body: [error.message] });
    throw error;
  }
}

function onApp(apps: ReadonlyMap<string, FakeApp>, work: AppHandler): Handler {
  return (request, names) => {
    const app = [...apps.values()].find(({ id, name }) => id === names.app || name === names.app);
    if (!app) return notFound;
    if (app.owner !== SERVICE) return refusal(403, 'you are not a collaborator of this app');
    return work(app, request, names);
  };
}

function shown({ id, name, url, status }: FakeApp) {
  return { id, name, url, status };
}

function shownDeployment({ id, app, git_ref, status, created_at }: FakeDeployment) {
  return { id, app_id: app.id, git_ref, status, created_at };
}

function listDeployments(app: FakeApp): Answer {
  return ok({ deployments: app.deployments.map(shownDeployment), meta: { pagination: { current_page: 1 } } });
}

function showDeployment(app: FakeApp, _request: ApiRequest, { id }: Names): Answer {
  const deployment = app.deployments.find((one) => one.id === id);
  if (!deployment) return notFound;
  deployment.step();
  return ok({ deployment: shownDeployment(deployment) });
}

function deploymentOutput(app: FakeApp, _request: ApiRequest, { id }: Names): Answer {
  const deployment = app.deployments.find((one) => one.id === id);
  return deployment ? { status: 200, text: `${deployment.output.join('\n')}\n` } : notFound;
}

function containersOf(app: FakeApp) {
  return [...app.formation].map(([name, amount]) => ({ name, amount, size: 'M' }));
}

function showOperation(app: FakeApp, _request: ApiRequest, { id = '' }: Names): Answer {
  const operation = app.operations.get(id);
  if (!operation) return notFound;
  app.stepOperation(operation);
  return ok({ operation });
}

function putVariables(app: FakeApp, { json }: ApiRequest): Answer {
  const { variables } = v.parse(Variables, json);
  if (variables.some(({ name, value }) => name.length > 64 || value.length > 32_768)) {
    return invalid({ value: ['is too long'] });
  }
  for (const { name, value } of variables) {
    const known = [...app.variables.values()].find((one) => one.name === name);
    const id = known?.id ?? randomUUID();
    app.variables.set(id, { id, name, value });
  }
  return ok({ variables: [...app.variables.values()] });
}

function deleteVariable(app: FakeApp, _request: ApiRequest, { id = '' }: Names): Answer {
  return app.variables.delete(id) ? { status: 204 } : notFound;
}
