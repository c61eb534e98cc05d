import { join } from 'node:path';
import * as v from 'valibot';
import { jsonIn } from '../../../functions/core/json-value.ts';
import { OperatorError } from '../../files/errors.ts';
import { readTextSync, writeStateSync } from '../../files/state-file.ts';
import { type Config, ConfigSchema } from './schema.ts';

/** Returns the path of the configuration file of a data folder. */
export function configFile(dataDir: string): string {
  return join(dataDir, 'config.json');
}

/**
 * Returns the configuration of a data folder; without a file, an empty one.
 *
 * @throws OperatorError with one sentence that names the field and what it must be
 */
export function readConfig(dataDir: string): Config {
  const file = configFile(dataDir);
  const text = readTextSync(file);
  return text === undefined ? {} : parsed(file, text);
}

/** Settings of the environment, which win over those of the file. */
export type Overrides = Pick<Config, 'appsDomain' | 'publicUrl' | 'listen' | 'isolation'>;

/** The environment variable of each of them, for errors. */
const VARIABLES = {
  appsDomain: 'APPS_DOMAIN',
  publicUrl: 'PUBLIC_URL',
  listen: 'LISTEN',
  isolation: 'ISOLATION',
} as const;

/**
 * Returns the configuration with the settings that the environment has.
 *
 * @throws OperatorError with one sentence that names the variable and what it must be
 */
export function withOverrides(config: Config, overrides: Overrides): Config {
  const result = v.safeParse(ConfigSchema, overrides);
  if (result.success) return { ...config, ...result.output };
  const [issue] = result.issues;
  const name = Object.entries(VARIABLES).find(([field]) => field === issue.path?.[0].key)?.[1];
  throw new OperatorError(`${name} ${issue.message}.`);
}

/** Returns the settings of an environment; an empty variable sets nothing. */
export function overridesIn(env: Readonly<Record<string, string | undefined>>): Overrides {
  const given = Object.entries(VARIABLES).flatMap(([field, name]) => (env[name] ? [[field, env[name]]] : []));
  return Object.fromEntries(given);
}

/** Replaces the configuration. The file is for its owner only, because it may hold the secrets of webhooks. */
export function writeConfig(dataDir: string, config: Config): void {
  writeStateSync(configFile(dataDir), config, { secret: true, durable: true });
}

function parsed(file: string, text: string): Config {
  const value = jsonIn(text);
  if (value === undefined)
    throw new OperatorError(`${file} is not JSON: correct it, or remove it to start without a configuration.`);
  // A list passes as an object without fields.
  const result = v.safeParse(ConfigSchema, Array.isArray(value) ? null : value);
  if (result.success) return result.output;
  throw new OperatorError(`In ${file}, ${describe(result.issues[0])}.`);
}

function describe(issue: v.InferIssue<typeof ConfigSchema>): string {
  const path = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const field = path.slice(path.startsWith('.') ? 1 : 0) || 'the content';
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    return `${field} is not a known setting; known are ${Object.keys(ConfigSchema.entries).join(', ')}`;
  }
  return issue.received === 'undefined' ? `${field} is missing` : `${field} ${issue.message}`;
}
