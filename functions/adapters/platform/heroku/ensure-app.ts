import type { AppRef } from '../../../core/ports/hosting-platform.ts';
import { keys } from '../in-table/keys.ts';
import { addressIn, requiredText } from '../provider/answers.ts';
import type { ProviderAnswer } from '../provider/api.ts';
import { ownOrTaken } from '../provider/own-or-taken.ts';
import { messageIn } from './api.ts';
import { herokuNames } from './names.ts';
import type { HerokuParts } from './parts.ts';

const CODE = 'deploy:platform:upload_tarball';
const BUILDPACK = 'heroku/nodejs';

/** An app on Heroku. */
interface HerokuApp {
  readonly id: string;
  /** Its URL. */
  readonly address: string;
}

/**
 * Makes the two apps of an application on Heroku, unless they exist, and keeps their ids: an app that is renamed there
 * is still known. A second call makes what a first one has left out.
 */
export async function ensureApp(app: AppRef, name: string, parts: HerokuParts): Promise<void> {
  const item = await parts.table.read(keys.app(app));
  const names = herokuNames(parts.seed, app);
  const run = (await known(item?.run, parts)) ?? (await made(names.run, parts));
  const build = (await known(item?.builder, parts)) ?? (await madeBuilder(names.build, parts));
  await parts.table.write(keys.app(app), { name, run: run.id, address: run.address, builder: build.id });
}

/** Returns an app by its id; null when it was deleted on Heroku. */
async function known(id: string | undefined, parts: HerokuParts): Promise<HerokuApp | null> {
  if (id === undefined) return null;
  const what = 'the look-up of the app';
  const answer = await parts.api({ method: 'GET', path: ['apps', id], code: CODE, what, accept: [404] });
  return answer.status === 404 ? null : appIn(answer);
}

async function made(name: string, parts: HerokuParts): Promise<HerokuApp> {
  const { team } = parts;
  const path = team === undefined ? ['apps'] : ['teams', 'apps'];
  const json = { name, ...(team !== undefined && { team }) };
  const what = `the new app ${name}`;
  const answer = await parts.api({ method: 'POST', path, json, code: CODE, what, accept: [422] });
  if (answer.status !== 422) return appIn(answer);
  const refused = { provider: 'Heroku', name, reason: messageIn(answer.body), code: CODE } as const;
  return appIn(await ownOrTaken(refused, parts.api));
}

/** Every deploy has a package.json, and Heroku would guess another language from other files beside it. */
async function madeBuilder(name: string, parts: HerokuParts): Promise<HerokuApp> {
  const app = await made(name, parts);
  const path = ['apps', app.id, 'buildpack-installations'];
  const json = { updates: [{ buildpack: BUILDPACK }] };
  await parts.api({ method: 'PUT', path, json, code: CODE, what: `the buildpack of ${name}` });
  return app;
}

function appIn({ body }: ProviderAnswer): HerokuApp {
  const id = requiredText(body, 'id', CODE);
  return { id, address: addressIn(body, 'web_url') ?? `https://${requiredText(body, 'name', CODE)}.herokuapp.com` };
}
