/**
 * Returns the limit of an application: its own by `<user>/<app>`, or that of its user, or `*`; undefined for none. A
 * user may be called `constructor`, so inherited fields do not count.
 */
export function mostSpecific(limits: Readonly<Record<string, number>>, app: string): number | undefined {
  const [user = ''] = app.split('/');
  const name = [app, user, '*'].find((one) => Object.hasOwn(limits, one));
  return name === undefined ? undefined : limits[name];
}
