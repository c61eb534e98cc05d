import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { matched } from '../routes.ts';
import { digestOf, FakeApp, type FakeBuild, type FakeSlug, slugOf } from './state.ts';

/** An answer of the fake. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A request to the API, after its login. */
export interface ApiRequest {
  readonly method: string;
  readonly path: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

type Handler = (request: ApiRequest, names: Readonly<Record<string, string>>) => Answer;

export const ok = (body: unknown, status = 200): Answer => ({ status, body });
export const refusal = (status: number, id: string, message: string): Answer => ({ status, body: { id, message } });
const notFound = refusal(404, 'not_found', "Couldn't find that app.");

/** The account whose token the fake accepts. */
const SERVICE = 'service@example.com';
const NAME = /^[a-z][a-z0-9-]{1,28}[a-z0-9]$/;

/** Heroku's API, without HTTP: apps, builds, releases and what belongs to them. */
export class FakeHerokuApi {
  readonly apps = new Map<string, FakeApp>();
  readonly slugs = new Map<string, FakeSlug>();
  /** The uploads by the path of their addresses; null until the bytes have come. */
  readonly uploads = new Map<string, Buffer | null>();
  readonly sessions = new Map<string, { readonly app: FakeApp; readonly lines: number; readonly tail: boolean }>();
  /** The address of the server, known when it listens. */
  base = '';
  readonly #routes: readonly (readonly [string, Handler])[];

  constructor() {
    this.#routes = [
      ['POST apps', ({ json }) => this.#create(String(json.name), SERVICE)],
      ['POST teams/apps', ({ json }) => this.#create(String(json.name), String(json.team))],
      ['POST sources', () => this.#source()],
      ['GET apps/:app', this.#onApp((app) => ok(shown(app)))],
      ['DELETE apps/:app', this.#onApp((app) => (this.apps.delete(app.name) ? ok(shown(app)) : notFound))],
      ['PUT apps/:app/buildpack-installations', this.#onApp((app, { json }) => ok(installed(app, json)))],
      ['POST apps/:app/builds', this.#onApp((app, { json }) => this.#build(app, json))],
      ['GET apps/:app/builds/:build', this.#onApp((app, _request, { build = '' }) => built(app, build))],
      ['GET apps/:app/slugs/:slug', this.#onApp((_app, _request, { slug = '' }) => found(this.slugs.get(slug)))],
      ['GET apps/:app/releases', this.#onApp((app) => ok(app.releases.slice(-1), 206))],
      ['GET apps/:app/releases/:id', this.#onApp((app, _request, { id }) => found(app.releases[Number(id) - 1]))],
      ['POST apps/:app/releases', this.#onApp((app, { json }) => this.#release(app, json))],
      ['GET apps/:app/dynos', this.#onApp((app) => dynosOf(app))],
      ['GET apps/:app/formation', this.#onApp((app) => ok(formationOf(app)))],
      ['PATCH apps/:app/formation', this.#onApp((app, { json }) => scaled(app, json))],
      ['GET apps/:app/config-vars', this.#onApp((app) => ok(app.config))],
      ['PATCH apps/:app/config-vars', this.#onApp((app, { json }) => this.#configure(app, json))],
      ['POST apps/:app/log-sessions', this.#onApp((app, { json }) => this.#logSession(app, json))],
    ];
  }

  answer(request: ApiRequest): Answer {
    for (const [route, handler] of this.#routes) {
      const [method = '', pattern = ''] = route.split(' ');
      const names = method === request.method ? matched(pattern.split('/'), request.path) : null;
      if (names) return answerOf(() => handler(request, names));
    }
    return refusal(404, 'not_found', 'The requested API endpoint was not found.');
  }

  /** Makes an app, also of another account. */
  add(name: string, owner: string): FakeApp {
    const app = new FakeApp(name, owner, `${this.base}/web/${name}/`, this.slugs);
    this.apps.set(name, app);
    return app;
  }

  #create(name: string, owner: string): Answer {
    if (!NAME.test(name)) return refusal(422, 'invalid_params', 'Name must start with a letter.');
    if (this.apps.has(name)) return refusal(422, 'invalid_params', `Name ${name} is already taken`);
    return ok(shown(this.add(name, owner)), 201);
  }

  #source(): Answer {
    const path = `/uploads/${randomUUID()}`;
    this.uploads.set(path, null);
    const address = (use: string) => `${this.base}${path}?Signature=${use}-secret`;
    return ok({ source_blob: { get_url: address('get'), put_url: address('put') } }, 201);
  }

  #onApp(work: (app: FakeApp, request: ApiRequest, names: Readonly<Record<string, string>>) => Answer): Handler {
    return (request, names) => {
      const app = [...this.apps.values()].find(({ id, name }) => id === names.app || name === names.app);
      if (!app) return notFound;
      if (app.owner !== SERVICE && app.owner !== 'team')
        return refusal(403, 'forbidden', `You do not have access to the app ${app.name}.`);
      return work(app, request, names);
    };
  }

  /** The build ends when it has been asked for twice, and what was built is released at once. */
  #build(app: FakeApp, json: ApiRequest['json']): Answer {
    const { url, checksum } = v.parse(NewBuild, json).source_blob;
    const bytes = this.uploads.get(new URL(url).pathname);
    const id = randomUUID();
    const build: FakeBuild = {
      ...{ id, status: 'pending', slug: null, left: 1 },
      ...{
        output: ['-----> Building on the Heroku-24 stack'],
        output_stream_url: `${this.base}/streams/${id}?key=secret`,
      },
      ends: () => {
        const program = bytes && digestOf(bytes) === checksum ? JSON.parse(bytes.toString()) : null;
        if (program === null || program.behaviour === 'cannot be built') {
          const why = program ? ['no compiler here', 'npm error code 1'] : ['Could not download the source.'];
          const own = ['-----> Build failed', 'Some possible problems:', '', ' !     Push rejected, failed to compile'];
          build.output.push(...why.map((line) => `       ${line}`), ...own);
          build.status = 'failed';
          return;
        }
        const slug = slugOf(program);
        this.slugs.set(slug.id, slug);
        build.output.push('-----> Launching...');
        Object.assign(build, { status: 'succeeded', slug: { id: slug.id } });
        app.release(slug, 'Deploy');
      },
    };
    app.builds.push(build);
    return ok(shownBuild(build), 201);
  }

  #release(app: FakeApp, json: ApiRequest['json']): Answer {
    const slug = this.slugs.get(String(json.slug));
    return slug
      ? ok(app.release(slug, String(json.description)), 201)
      : refusal(404, 'not_found', "Couldn't find that slug.");
  }

  #configure(app: FakeApp, json: ApiRequest['json']): Answer {
    for (const [name, value] of Object.entries(json)) {
      if (value === null) delete app.config[name];
      else app.config[name] = String(value);
    }
    const slug = app.releases.at(-1)?.slug;
    app.release((slug && this.slugs.get(slug.id)) ?? null, 'Set config vars');
    return ok(app.config);
  }

  #logSession(app: FakeApp, { lines, tail }: ApiRequest['json']): Answer {
    const id = randomUUID();
    this.sessions.set(id, { app, lines: Number(lines), tail: tail === true });
    const logplex_url = `${this.base}/logs/${id}?srv=secret`;
    return ok({ id, created_at: new Date().toISOString(), logplex_url }, 201);
  }
}

const NewBuild = v.object({ source_blob: v.object({ url: v.pipe(v.string(), v.url()), checksum: v.string() }) });
const Buildpacks = v.object({ updates: v.array(v.object({ buildpack: v.string() })) });
const Scaling = v.object({ updates: v.array(v.object({ type: v.string(), quantity: v.number() })) });

/** A body of another shape is refused, as it is by Heroku. */
function answerOf(work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    if (error instanceof v.ValiError) return refusal(422, 'invalid_params', error.message);
    throw error;
  }
}

function shown({ id, name, web_url }: FakeApp) {
  return { id, name, web_url };
}

function found(value: unknown): Answer {
  return value ? ok(value) : refusal(404, 'not_found', "Couldn't find that.");
}

function shownBuild({ id, status, slug, output_stream_url }: FakeBuild) {
  return { id, status, slug, output_stream_url };
}

function built(app: FakeApp, id: string): Answer {
  const build = app.builds.find((one) => one.id === id);
  if (build?.status === 'pending' && build.left === 0) build.ends();
  if (build) build.left = Math.max(0, build.left - 1);
  return build ? ok(shownBuild(build)) : notFound;
}

function installed(app: FakeApp, json: ApiRequest['json']) {
  app.buildpacks = v.parse(Buildpacks, json).updates.map(({ buildpack }) => buildpack);
  return app.buildpacks;
}

function dynosOf(app: FakeApp): Answer {
  const shownNow = app.dynos.map((dyno) => ({ ...dyno }));
  app.settleDynos();
  return ok(shownNow);
}

function formationOf(app: FakeApp) {
  return [...app.formation].map(([type, quantity]) => ({ type, quantity, size: 'Basic' }));
}

function scaled(app: FakeApp, json: ApiRequest['json']): Answer {
  for (const { type, quantity } of v.parse(Scaling, json).updates) {
    if (!app.formation.has(type)) return refusal(404, 'not_found', "Couldn't find that process type.");
    app.formation.set(type, quantity);
  }
  app.startDynos();
  return ok(formationOf(app));
}
