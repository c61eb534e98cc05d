import { DeployError } from '../../../core/errors.ts';
import type { AppVariables } from '../../../core/ports/apps/app-variables.ts';
import type { AppRef } from '../../../core/ports/hosting-platform.ts';
import { onAws } from '../../aws/failures.ts';
import { keys } from '../in-table/keys.ts';
import type { ProviderParts } from './parts.ts';

/** The variables of an app at its provider, by the id of the app. */
export interface VariableCalls {
  /** Throws `request:bad_parameter` or `request:too_large` for a variable that the provider does not accept. */
  check(name: string, value: string): void;
  /** Returns the variables, also those that add-ons have set. */
  read(run: string): Promise<Readonly<Record<string, string>>>;
  set(run: string, name: string, value: string): Promise<void>;
  /** Returns false when there is no variable of that name. */
  unset(run: string, name: string): Promise<boolean>;
  /** Creates the app of an application. Idempotent. */
  ensureApp(app: AppRef, packageName: string): Promise<void>;
}

/** Returns the variables of applications, which are those of their apps at a provider. */
export function providerAppVariables({ table }: Pick<ProviderParts, 'table'>, calls: VariableCalls): AppVariables {
  const idOf = async (app: AppRef) => (await table.read(keys.app(app)))?.run;
  const on = <T>(app: AppRef, work: () => Promise<T>) => onAws('request:failed', `the variables of ${app.app}`, work);
  return {
    read: (app) =>
      on(app, async () => {
        const run = await idOf(app);
        return run === undefined ? null : calls.read(run);
      }),
    set: (app, name, value) =>
      on(app, async () => {
        calls.check(name, value);
        const run = await idOf(app);
        if (run === undefined) return false;
        await calls.set(run, name, value);
        return true;
      }),
    unset: (app, name) =>
      on(app, async () => {
        const run = await idOf(app);
        return run !== undefined && calls.unset(run, name);
      }),
    create: (app, packageName) => on(app, () => calls.ensureApp(app, packageName)),
  };
}

/** For the names and values of an application together: all of them are one answer. */
const MAX_BYTES = 64 * 1024;

/** Throws `request:too_large` when variables are larger together than an application may have them. */
export function checkTotal(variables: Readonly<Record<string, string>>, limit: string): void {
  const bytes = Object.entries(variables).reduce((sum, entry) => sum + Buffer.byteLength(entry.join('')), 0);
  if (bytes <= MAX_BYTES) return;
  const detail = `The variables are ${bytes - MAX_BYTES} bytes larger than ${limit} of 64 KB for an application.`;
  throw new DeployError('request:too_large', detail);
}

/** The names of variables that a provider accepts. */
export interface VariableNames {
  readonly provider: string;
  readonly maxLength: number;
  /** The names that the provider sets itself. */
  readonly isReserved: (name: string) => boolean;
}

/** Throws `request:bad_parameter` for a name that the provider does not accept, and for a value with a NUL. */
export function checkVariable(name: string, value: string, { provider, maxLength, isReserved }: VariableNames): void {
  if (isReserved(name)) throw new DeployError('request:bad_parameter', `${name} is set by the platform.`);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.length > maxLength) {
    const rule = `has 1 to ${maxLength} letters, digits and _, and begins with no digit`;
    throw new DeployError('request:bad_parameter', `On ${provider} the name of a variable ${rule}.`);
  }
  if (!value.includes('\0')) return;
  throw new DeployError('request:bad_parameter', `The value of ${name} holds a NUL character.`);
}
