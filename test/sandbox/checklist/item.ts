import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { CodeBuildClient } from '@aws-sdk/client-codebuild';
import type { AppRef, HostingPlatform } from '../../../functions/core/ports/platform.ts';

/** The deployed service, as far as the checklist asks it. */
export interface Deployed {
  /** Without a slash at the end. */
  readonly url: string;
  readonly user: string;
  readonly secret: string;
  /** Address of the WebSocket for clients. */
  readonly signals: string;
  /** The application that .ci/deploy-sample has deployed. */
  readonly sample: AppRef;
  readonly platform: HostingPlatform;
  readonly logs: CloudWatchLogsClient;
  readonly codeBuild: CodeBuildClient;
  /** The project of the stack, which has no builds of applications. */
  readonly project: string;
  /** Returns the name of an application's function, which is that of its project too. */
  functionOf(app: AppRef): string;
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

/** Returns the headers of a login. */
export function loginOf({ user, secret }: Pick<Deployed, 'user' | 'secret'>): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` };
}
