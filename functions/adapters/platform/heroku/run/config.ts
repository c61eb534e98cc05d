import type { ErrorCode } from '../../../../core/errors.ts';
import { requiredFields } from '../../provider/answers.ts';
import type { HerokuParts } from '../parts.ts';

/** The config vars of an app. */
export type Config = Readonly<Record<string, string>>;

interface ConfigCall {
  readonly code: ErrorCode;
  readonly parts: Pick<HerokuParts, 'api'>;
}

/** Returns the config vars of an app, also those that add-ons have set. */
export async function readConfig(run: string, { code, parts }: ConfigCall): Promise<Config> {
  const what = 'the variables';
  const { body } = await parts.api({ method: 'GET', path: ['apps', run, 'config-vars'], code, what });
  const entries = Object.entries(requiredFields(body, code));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Changes config vars; null removes one. Heroku makes a release of it and restarts the dynos. */
export async function changeConfig(
  run: string,
  changes: Readonly<Record<string, string | null>>,
  { code, parts }: ConfigCall,
): Promise<void> {
  const what = 'the change of a variable';
  await parts.api({ method: 'PATCH', path: ['apps', run, 'config-vars'], json: changes, code, what });
}
