/** The folder of an application in its repository; absent for the root. */
interface Folder {
  readonly path?: string | undefined;
}

/**
 * Returns the key of what a hook deploys: a branch, and the folder of the application when that is not the root. Two
 * applications of one repository are deployed from the same commits, and nothing of one may hold up the other. The name
 * of a branch has no colon (https://git-scm.com/docs/git-check-ref-format), so the key is unambiguous.
 */
export function trackOf({ branch, path }: Folder & { readonly branch: string }): string {
  return path === undefined ? branch : `${branch}:${path}`;
}

/** Returns the path of a file in the folder of the application. */
export function inFolder({ path }: Folder, file: string): string {
  return path === undefined ? file : `${path}/${file}`;
}
