import type { AppRef } from '../../../core/ports/hosting-platform.ts';
import { keys } from '../in-table/keys.ts';
import { requiredAddress, requiredFields, requiredText } from '../provider/answers.ts';
import type { ProviderAnswer } from '../provider/api.ts';
import { globalName } from '../provider/global-name.ts';
import { ownOrTaken } from '../provider/own-or-taken.ts';
import { messageIn } from './api.ts';
import type { ScalingoParts } from './parts.ts';

const CODE = 'deploy:platform:upload_tarball';
/** https://developers.scalingo.com/apps#create-an-application */
const MAX_APP_NAME = 48;

/** An app on Scalingo. */
interface ScalingoApp {
  readonly id: string;
  /** Its URL. */
  readonly address: string;
}

/** Returns the name of an application on Scalingo: `<user>-<app>-<hash>`. */
export function scalingoName(seed: string, app: AppRef): string {
  return globalName({ app, seed, role: 'run', maxLength: MAX_APP_NAME });
}

/** Creates the app of an application on Scalingo, unless it exists. It is found by its id, so it may be renamed. */
export async function ensureApp(app: AppRef, name: string, parts: ScalingoParts): Promise<void> {
  const item = await parts.table.read(keys.app(app));
  const old = await known(item?.run, parts);
  const { id, address } = old ?? (await made(scalingoName(parts.seed, app), parts));
  // When the app was deleted on Scalingo, its deployments are gone too.
  await parts.table.write(keys.app(app), { name, run: id, address, ...(id !== item?.run && { turn: null }) });
}

async function known(id: string | undefined, parts: ScalingoParts): Promise<ScalingoApp | null> {
  if (id === undefined) return null;
  const what = 'the look-up of the app';
  const answer = await parts.api({ method: 'GET', path: ['apps', id], code: CODE, what, accept: [404] });
  return answer.status === 404 ? null : appIn(answer);
}

async function made(name: string, parts: ScalingoParts): Promise<ScalingoApp> {
  const request = { path: ['apps'], json: { app: { name } }, code: CODE, what: `the new app ${name}` } as const;
  const answer = await parts.api({ ...request, method: 'POST', accept: [422] });
  if (answer.status !== 422) return appIn(answer);
  const refused = { provider: 'Scalingo', name, reason: messageIn(answer.body), code: CODE } as const;
  return appIn(await ownOrTaken(refused, parts.api));
}

function appIn({ body }: ProviderAnswer): ScalingoApp {
  const { app } = requiredFields(body, CODE);
  return { id: requiredText(app, 'id', CODE), address: requiredAddress(app, 'url', CODE) };
}
