import { setTimeout as pause } from 'node:timers/promises';
import type { DeployError } from '../../../functions/core/errors.ts';
import type { PlatformPorts } from '../../../functions/core/ports/applications.ts';
import type { HostingPlatform } from '../../../functions/core/ports/platform.ts';

type Method = keyof HostingPlatform;

/** A platform whose deploys fail at will. */
export interface FailingPlatform {
  /** Returns the platform with these failures. */
  of(platform: PlatformPorts): PlatformPorts;
  /** Fails the calls of a method for an application, a given number of times; null: it never answers. */
  fail(method: Method, app: string, error: DeployError | null, times?: number): void;
}

export function failingPlatform(): FailingPlatform {
  const rules: { readonly method: Method; readonly app: string; readonly error: DeployError | null; left: number }[] =
    [];
  const meet = async (method: Method, app: string) => {
    const rule = rules.find((one) => one.left > 0 && one.method === method && one.app === app);
    if (!rule) return;
    rule.left -= 1;
    if (rule.error) throw rule.error;
    await pause(2 ** 31 - 1, undefined, { ref: false });
  };
  return {
    of: (platform) => ({ ...platform, hosting: meeting(platform.hosting, meet) }),
    fail: (method, app, error, times = Number.POSITIVE_INFINITY) => rules.unshift({ method, app, error, left: times }),
  };
}

function meeting(hosting: HostingPlatform, meet: (method: Method, app: string) => Promise<void>): HostingPlatform {
  const methods = Object.entries(hosting) as [Method, (ref: { readonly app: string }, ...more: unknown[]) => unknown][];
  const wrapped = methods.map(([method, call]) => [
    method,
    async (...args: Parameters<typeof call>) => {
      await meet(method, args[0].app);
      return call(...args);
    },
  ]);
  return Object.fromEntries(wrapped);
}
