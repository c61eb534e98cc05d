import { readdirSync, readFileSync } from 'node:fs';
import { senderRegistry, senders } from '../../../functions/adapters/senders/registry.ts';
import type { Delivery } from '../../../functions/core/payload/delivery.ts';
import type { HookCall, Sender } from '../../../functions/core/ports/sender.ts';

/** The registry of the service. */
export const registry = senderRegistry(senders);
export const { recognise } = registry;

const folder = new URL('../../fixtures/senders/', import.meta.url);

interface Fixture {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns the call in a file, or the one that it names with its differences, as the README of the fixtures says. */
function stored(file: URL): Fixture {
  const { from, nulls = [], ...call } = JSON.parse(readFileSync(file, 'utf8'));
  if (from === undefined) return call;
  const changed = merged(stored(new URL(`${from}.json`, file)), call);
  for (const path of nulls) {
    const keys = path.split('.');
    const last = keys.pop();
    // biome-ignore lint/suspicious/noExplicitAny: JSON of any form.
    keys.reduce((at: any, key: string) => at[key], changed)[last] = null;
  }
  return changed;
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of any form.
function merged(value: unknown, patch: unknown): any {
  if (!isObject(patch)) return patch;
  const isList = Array.isArray(value);
  const changed: Record<string, unknown> = isList ? { ...value } : isObject(value) ? { ...value } : {};
  for (const [key, difference] of Object.entries(patch)) {
    if (difference === null) delete changed[key];
    else changed[key] = merged(changed[key], difference);
  }
  return isList ? Object.values(changed) : changed;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a call with these headers and this body, as the endpoint passes it to the senders. */
export function call(body: unknown, headers: Readonly<Record<string, string>> = {}): HookCall {
  return { headers, query: {}, body, raw: new TextEncoder().encode(JSON.stringify(body)) };
}

/** Returns the call of a fixture, `<sender>/<name>`, with some fields of its body replaced. */
export function fixture(name: string, changes: Readonly<Record<string, unknown>> = {}): HookCall {
  const { headers, body } = stored(new URL(`${name}.json`, folder));
  return call({ ...body, ...changes }, headers);
}

/** Returns what reads a fixture of a sender, with some fields of one of its body's objects replaced. */
export function reader(sender: Pick<Sender, 'read'>, folder: string, key: string) {
  return (name: string, fields: Readonly<Record<string, unknown>> = {}): Delivery | undefined => {
    const hook = fixture(`${folder}/${name}`);
    const changed = Object.keys(fields).length > 0 ? { [key]: { ...bodyField(hook, key), ...fields } } : {};
    return sender.read(fixture(`${folder}/${name}`, changed))[0];
  };
}

/** The commit that most fixtures tell of, and the one before it. */
export const after = '1f7e6d5c4b3a29180f1e2d3c4b5a69788796a5b4';
export const before = '9a8b7c6d5e4f30211203f4e5d6c7b8a99a8b7c6d';

/** The repository that most fixtures tell of, as a sender reads it. */
export const repositoryAt = (hostname: string, owner: string, isPrivate = true) => ({
  hostname,
  owner,
  name: 'hello-deploy',
  url: `https://${hostname}/${owner}/hello-deploy`,
  private: isPrivate,
});

/** What all fixtures of a push to the default branch tell. */
export const pushToMain = {
  kind: 'push',
  ref: 'refs/heads/main',
  branch: 'main',
  sha: after,
  before,
  forced: false,
  message: 'Answer on the port that is given',
  author: 'Mona Example',
  skip: null,
} as const;

/** What all fixtures of a passed build tell of their commit. */
export const passedBuild = {
  kind: 'build',
  sha: after,
  branch: 'main',
  outcome: 'passed',
  pullRequest: false,
  message: 'Answer on the port that is given',
  author: 'Mona Example',
  skip: null,
} as const;

/** Returns the senders that have fixtures, each with the names of its fixtures. */
export function fixtures(): readonly { readonly sender: string; readonly names: readonly string[] }[] {
  const senders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return senders.map(({ name: sender }) => ({
    sender,
    names: readdirSync(new URL(`${sender}/`, folder)).map((file) => `${sender}/${file.replace(/\.json$/, '')}`),
  }));
}

/** Returns a copy of an object in a call's body. */
export function bodyField(hook: HookCall, key: string): Readonly<Record<string, unknown>> {
  const { body } = hook;
  const value =
    typeof body === 'object' && body !== null ? Object.entries(body).find(([name]) => name === key)?.[1] : null;
  if (typeof value !== 'object' || value === null) throw new Error(`The fixture has no object ${key}.`);
  return { ...value };
}
