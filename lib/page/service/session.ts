import { basic } from '../../client/client.ts';

export interface Session {
  readonly user: string;
  readonly secret: string;
  /** The name of the API token that the page has made for itself, to be revoked when the user signs out. */
  readonly token?: string;
}

const KEY = 'deployment-webhooks';

/** Returns the login of this tab, or the one that was kept on this machine; null without one. */
export function storedSession(): Session | null {
  for (const storage of [sessionStorage, localStorage]) {
    const session = parsed(storage.getItem(KEY));
    if (session) return session;
  }
  return null;
}

/** Keeps a login, for this tab or on this machine. */
export function storeSession(session: Session, where: 'tab' | 'machine'): void {
  const storage = where === 'tab' ? sessionStorage : localStorage;
  storage.setItem(KEY, JSON.stringify(session));
}

export function forgetSession(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}

/** Returns the login as a subprotocol of a WebSocket, which may not have the characters `+/=`. */
export function basicSubprotocol(session: Session): string {
  return `basic.${basic(session)
    .slice('Basic '.length)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/(?<!=)=+$/, '')}`;
}

function parsed(text: string | null): Session | null {
  if (text === null) return null;
  try {
    const value = JSON.parse(text);
    return typeof value?.user === 'string' && typeof value.secret === 'string' ? value : null;
  } catch {
    return null;
  }
}
