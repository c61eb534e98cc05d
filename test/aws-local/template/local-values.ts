import { isRecord } from './intrinsics.ts';

/** Local values that replace those of AWS. */
export interface LocalValues {
  /** Origin of the SQS emulator; queue URLs are built on it. */
  readonly sqsEndpoint: string;
  /**
   * `host:port` by logical id of an API (REST or WebSocket). An address `https://<api>.execute-api.…/<stage>` anywhere
   * in the template becomes `http://host:port` (`wss` becomes `ws`): local paths have no stage.
   */
  readonly apiHosts?: Readonly<Record<string, string>>;
  /**
   * Values that take precedence over the generated ones: by `LogicalId` for Ref, by `LogicalId.Attribute` for GetAtt.
   */
  readonly overrides?: Readonly<Record<string, string>>;
}

const API_ADDRESS = /(https|wss):\/\/([A-Za-z0-9]+)\.execute-api\.[a-z0-9-]+\.amazonaws\.com(?:\/[\w-]+)?/g;

/**
 * Returns a resolved value in which the public addresses of the stack's own APIs are replaced by local ones. The first
 * path segment of such an address is always the stage, which local paths do not have.
 *
 * @param hosts `host:port` by logical id of the API; the address of an API that is not listed is kept
 */
export function localAddresses(value: unknown, hosts: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replace(API_ADDRESS, (address, scheme: string, api: string) => {
      const host = hosts[api];
      return host === undefined ? address : `${scheme === 'wss' ? 'ws' : 'http'}://${host}`;
    });
  }
  if (Array.isArray(value)) return value.map((item) => localAddresses(item, hosts));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, localAddresses(item, hosts)]));
}
