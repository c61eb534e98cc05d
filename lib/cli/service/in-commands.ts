const COMMANDS: readonly (readonly [endpoint: string, command: string])[] = [
  ['GET /1/apps/<user> lists', '"hooks apps" lists'],
  ['GET /1/auth/tokens lists', '"hooks tokens" lists'],
];

/** Returns a detail of the service, whose advice is an endpoint, with the command for it. */
export function inCommands(detail: string): string {
  return COMMANDS.reduce((text, [endpoint, command]) => text.replace(endpoint, command), detail);
}
