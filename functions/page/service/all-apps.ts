import type { App } from '../model/app.ts';

interface AppPage {
  readonly apps: readonly App[];
  /** Absent while the service is updated from a version that had no pages. */
  readonly total?: number;
}

/** The part of the API that lists applications. */
interface Lists {
  readonly user: string;
  call<T>(request: {
    readonly path: readonly string[];
    readonly query: Readonly<Record<string, string | number | boolean>>;
  }): Promise<T>;
}

/** Returns all applications of the user, with the documents of their entries: all pages of the list. */
export async function allApps(api: Lists): Promise<readonly App[]> {
  const found: App[] = [];
  for (;;) {
    const query = { include_docs: true, skip: found.length };
    const { apps, total = 0 } = await api.call<AppPage>({ path: ['apps', api.user], query });
    found.push(...apps);
    // An empty page: some were removed in the meantime.
    if (apps.length === 0 || found.length >= total) return found;
  }
}
