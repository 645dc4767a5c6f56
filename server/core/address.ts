import { isIP } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, with an IPv6 host in brackets; port 0 is any free one. */
export function readAddress(text: string): Address | undefined {
  const [, v6, name, digits] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/\s]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = v6 ?? name;
  const port = Number(digits);
  if (host === undefined || port > 65_535 || (v6 !== undefined && isIP(v6) !== 6)) return undefined;
  return { host, port };
}

export const writeAddress = ({ host, port }: Address): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Whether only this computer can reach it. */
export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Every address of this computer, so it is not one that can be dialled. */
export const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';
