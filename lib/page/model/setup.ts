import type { SetupText } from '../../../functions/api/shapes/service.ts';
import { basic } from '../../client/client.ts';

/** The reader's own values. An empty string leaves the placeholder. */
interface SetupValues extends Chosen {
  readonly user: string;
  readonly repository: string;
  readonly token: string;
}

/** What the address of a webhook says. */
interface Chosen {
  readonly branch: string;
  readonly environment: string;
  /** Whether pull requests are deployed too. */
  readonly previews: boolean;
  /** Whether what is deployed waits until CI has passed. */
  readonly ci: boolean;
}

/** Parts of the names of hosts, with their senders. */
const HOSTS = {
  github: 'github',
  gitlab: 'gitlab',
  bitbucket: 'bitbucket',
  gitea: 'gitea',
  forgejo: 'forgejo',
  codeberg: 'forgejo',
};

/** Returns the host and the repository that an address names, as of a browser or of `git clone`; null for another text. */
export function repositoryAt(address: string): { readonly host: string; readonly repository: string } | null {
  const [, name = '', path = ''] =
    /^(?:\w+:\/\/)?(?:[^@/\s]+@)?([\w.-]+\.\w+)(?::\d+)?[/:]([^\s?#]+)/.exec(address.trim()) ?? [];
  const repository = path.replace(/(?:\.git)?(?<!\/)\/*$/, '').replace(/\/(?:-\/|tree\/|src\/).*/, '');
  if (!isRepository(repository)) return null;
  const entry = Object.entries(HOSTS).find(([part]) => name.includes(part));
  return { host: entry?.[1] ?? '', repository };
}

export function isRepository(text: string): boolean {
  return /^[^/\s]+(?:\/[^/\s]+)+$/.test(text);
}

/** Returns a set-up with the reader's values in place of the placeholders. */
export function filled(text: SetupText, given: SetupValues): SetupText {
  const values = { ...given, ...allowed(text, given) };
  const fill = (part: string) => fillIn(part, values);
  const events = values.previews ? [['And the events', text.previews ?? ''] as const] : [];
  return {
    ...text,
    where: fill(text.where),
    settings: [...text.settings.map(([name, value]) => [name, fill(value)] as const), ...events],
    lines: text.lines && fill(text.lines),
    notes: text.notes.map(fill),
  };
}

/** Returns what of a choice a sender knows: a CI provider sends no pull requests, and an environment has none. */
export function allowed({ sends, previews }: Pick<SetupText, 'sends' | 'previews'>, chosen: Omit<Chosen, 'branch'>) {
  return {
    previews: chosen.previews && previews !== null && chosen.environment === '',
    ci: chosen.ci && sends === 'pushes',
  };
}

const THIS_MACHINE = /[/@](?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\/1\/deploy/;

/** Returns whether what is to be entered leads to this machine, so that nothing elsewhere can call it. */
export function isOfThisMachine({ settings, lines }: Pick<SetupText, 'settings' | 'lines'>): boolean {
  return [...settings.map(([, value]) => value), lines ?? ''].some((text) => THIS_MACHINE.test(text));
}

function fillIn(text: string, { user, repository, branch, environment, previews, ci, token }: SetupValues): string {
  const said = { branch, environment, ci: ci ? 'wait' : '', previews: previews ? (ci ? 'ci' : 'true') : '' };
  const query = Object.entries(said).filter(([, value]) => value !== '');
  const asked = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const addressed = text
    .replaceAll('/1/deploy', asked === '' ? '/1/deploy' : `/1/deploy?${asked}`)
    .replaceAll('<owner>/<repository>', repository === '' ? '<owner>/<repository>' : repository);
  const inHeader = token === '' ? null : basic({ user, secret: token }).slice('Basic '.length);
  return addressed
    .replaceAll('<base64 of <user>:<token>>', inHeader ?? `<base64 of ${user}:<token>>`)
    .replaceAll(
      '://<user>:<token>@',
      `://${encodeURIComponent(user)}:${token === '' ? '<token>' : encodeURIComponent(token)}@`,
    )
    .replaceAll('<user>', user)
    .replaceAll('<token>', token === '' ? '<token>' : token);
}
