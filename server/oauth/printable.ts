/** Another program's words, without what would hide or turn around what stands beside them. */
export const printable = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
    .slice(0, 200);

export const shownName = (client: { readonly clientId: string; readonly clientName?: string | undefined }): string =>
  printable(client.clientName ?? '') || client.clientId;
