import { nestedText, requiredList, textIn } from '../../provider/answers.ts';
import type { ProviderAnswer } from '../../provider/api.ts';
import type { HerokuParts } from '../parts.ts';

const CODE = 'deploy:platform:start_app';

/** A dyno of the process type `web`. */
export interface WebDyno {
  /** `starting`, `up`, `idle` (asleep until the next request), `crashed`, `down`. */
  readonly state: string | undefined;
  /** The version of the release that it runs. */
  readonly version: number;
}

interface CallOptions {
  readonly what: string;
  readonly range?: string;
  readonly json?: unknown;
}

/** The calls about one running app. */
export interface HerokuCalls {
  get(path: readonly string[], options: CallOptions): Promise<ProviderAnswer>;
  post(path: readonly string[], options: CallOptions): Promise<ProviderAnswer>;
  webDynos(): Promise<readonly WebDyno[]>;
}

/** Returns the calls about an app, by its id. All throw `deploy:platform:start_app`. */
export function herokuCalls(app: string, { api }: Pick<HerokuParts, 'api'>): HerokuCalls {
  const call = (method: 'GET' | 'POST') => (path: readonly string[], options: CallOptions) =>
    api({ method, path: ['apps', app, ...path], code: CODE, ...options });
  const [get, post] = [call('GET'), call('POST')];
  return {
    get,
    post,
    webDynos: async () => {
      const { body } = await get(['dynos'], { what: 'the state of the dynos' });
      return requiredList(body, CODE).flatMap((dyno) =>
        textIn(dyno, 'type') === 'web' ? [{ state: textIn(dyno, 'state'), version: versionOf(dyno) }] : [],
      );
    },
  };
}

function versionOf(dyno: Readonly<Record<string, unknown>>): number {
  const { release } = dyno;
  if (nestedText(dyno, 'release', 'id') === undefined) return Number.NaN;
  return typeof release === 'object' && release !== null && 'version' in release ? Number(release.version) : Number.NaN;
}
