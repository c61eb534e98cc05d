import type { App } from '../model/app.ts';

interface AppPage<Listed> {
  readonly apps: readonly Listed[];
  /** Absent while the service is updated from a version that had no pages. */
  readonly total?: number;
}

/** The part of the API that lists applications. */
interface Lists<Listed> {
  readonly user: string;
  call(request: {
    readonly path: readonly string[];
    readonly query: { readonly include_docs: boolean; readonly skip: number };
  }): Promise<AppPage<Listed>>;
}

/** Returns all applications of the user, with the documents of their entries: all pages of the list. */
export async function allApps<Listed = App>(api: Lists<Listed>): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  for (;;) {
    const query = { include_docs: true, skip: found.length };
    const { apps, total = 0 } = await api.call({ path: ['apps', api.user], query });
    found.push(...apps);
    // An empty page: some were removed in the meantime.
    if (apps.length === 0 || found.length >= total) return found;
  }
}
