import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { CodeBuildClient } from '@aws-sdk/client-codebuild';
import type { AppRef, HostingPlatform } from '../../../functions/core/ports/platform.ts';
import type { Usage } from '../usage.ts';

/** The deployed service, as far as the checklist asks it. */
export interface Deployed {
  /** Without a slash at the end. */
  readonly url: string;
  readonly user: string;
  readonly secret: string;
  /** Address of the WebSocket for clients. */
  readonly signals: string;
  /** The application that `npm run deploy` has deployed. */
  readonly sample: AppRef;
  readonly platform: HostingPlatform;
  readonly logs: CloudWatchLogsClient;
  readonly codeBuild: CodeBuildClient;
  /** The project of the stack, which has no builds of applications. */
  readonly project: string;
  /** Returns the name of an application's function, which is that of its project too. */
  functionOf(app: AppRef): string;
  /** When the stack was begun and when it was created; epoch milliseconds. */
  readonly begun: number;
  readonly created: number;
  /** Returns what the account used on a day. */
  usage(day: string): Promise<readonly Usage[]>;
  now(): number;
}

/** One question that only an account answers. */
export interface Item {
  /** The title of its test, and its row in the README. */
  readonly title: string;
  /** The answer that is expected, and the range outside of which it fails. */
  readonly expected: string;
  /** Returns the answer; throws when it is another one than expected, and NotNow when it cannot be had. */
  readonly answer: (deployed: Deployed) => Promise<string>;
}

/** The answer cannot be had at this time; the message says when it can. */
export class NotNow extends Error {
  override readonly name = 'NotNow';
}

/** Returns a number in words; throws when it is outside of a range. */
export function within(value: number, [least, most]: readonly [number, number], words: string): string {
  if (value >= least && value <= most) return words;
  throw new Error(`${words}, which is not between ${least} and ${most}.`);
}

/** Returns the headers of a login. */
export function loginOf({ user, secret }: Pick<Deployed, 'user' | 'secret'>): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` };
}
