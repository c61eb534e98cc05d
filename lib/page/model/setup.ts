import type { SetupText } from '../../../functions/api/shapes/service.ts';
import { basic } from '../../client/client.ts';

/** The reader's own values. An empty string leaves the placeholder. */
interface SetupValues {
  readonly user: string;
  readonly repository: string;
  readonly branch: string;
  readonly environment: string;
  readonly token: string;
}

/** Returns a set-up with the reader's values in place of the placeholders. */
export function filled(text: SetupText, values: SetupValues): SetupText {
  const fill = (part: string) => fillIn(part, values);
  return {
    ...text,
    where: fill(text.where),
    settings: text.settings.map(([name, value]) => [name, fill(value)] as const),
    lines: text.lines && fill(text.lines),
    notes: text.notes.map(fill),
  };
}

const THIS_MACHINE = /[/@](?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\/1\/deploy/;

/** Returns whether what is to be entered leads to this machine, so that nothing elsewhere can call it. */
export function isOfThisMachine({ settings, lines }: Pick<SetupText, 'settings' | 'lines'>): boolean {
  return [...settings.map(([, value]) => value), lines ?? ''].some((text) => THIS_MACHINE.test(text));
}

function fillIn(text: string, { user, repository, branch, environment, token }: SetupValues): string {
  const query = Object.entries({ branch, environment }).filter(([, value]) => value !== '');
  const asked = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const known = text
    .replaceAll('/1/deploy', asked === '' ? '/1/deploy' : `/1/deploy?${asked}`)
    .replaceAll('<owner>/<repository>', repository === '' ? '<owner>/<repository>' : repository);
  const inHeader = token === '' ? null : basic({ user, secret: token }).slice('Basic '.length);
  return known
    .replaceAll('<base64 of <user>:<token>>', inHeader ?? `<base64 of ${user}:<token>>`)
    .replaceAll(
      '://<user>:<token>@',
      `://${encodeURIComponent(user)}:${token === '' ? '<token>' : encodeURIComponent(token)}@`,
    )
    .replaceAll('<user>', user)
    .replaceAll('<token>', token === '' ? '<token>' : token);
}
