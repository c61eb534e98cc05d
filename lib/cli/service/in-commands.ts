/** Returns a detail of the service, whose advice is an endpoint, with the command for it. */
export function inCommands(detail: string): string {
  return detail.replace('GET /1/apps/<user> lists your applications', '"hooks apps" lists your applications');
}
