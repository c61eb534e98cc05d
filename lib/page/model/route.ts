/** The view that the URL's fragment selects. */
export interface Route {
  /** Empty when the address names no user. */
  readonly user: string;
  readonly view: 'deploys' | 'deploy' | 'apps' | 'app' | 'new' | 'connect' | 'settings';
  /** The deploy's id, or the application's name. */
  readonly name: string;
  /** The filters of the list. */
  readonly query: Readonly<Record<string, string>>;
}

const LISTS = ['deploys', 'apps', 'new', 'connect', 'settings'] as const;

/** Returns the view that a fragment selects; by default the list of deploys. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#?\/?/, '').split('?');
  const [user = '', list = '', name = ''] = path.split('/').map(decode);
  const query = Object.fromEntries(new URLSearchParams(search));
  const listed = LISTS.find((one) => one === list) ?? 'deploys';
  if (name !== '' && listed === 'deploys') return { user, view: 'deploy', name, query };
  if (name !== '' && listed === 'apps') return { user, view: 'app', name, query };
  return { user, view: listed, name: '', query };
}

export function hashOf({ user, view, name = '', query = {} }: Partial<Route> & Pick<Route, 'view'>): string {
  const list = { deploy: 'deploys', app: 'apps' }[view as 'deploy' | 'app'] ?? view;
  const path = [user ?? '', list, ...(name === '' ? [] : [name])].map(encodeURIComponent).join('/');
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
