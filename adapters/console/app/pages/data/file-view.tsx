// A file of a node: an image is drawn, of others there are name, type and size. All can be downloaded.

import { at, type JsonObject, textOf } from "../../api/json.ts";
import { factsOf, fileAddress, fileName, isPicture, sizeText } from "../../model/files.ts";
import { useConsole } from "../../parts/console-context.ts";

export function FileView({ file }: { readonly file: JsonObject }) {
  const { server } = useConsole();
  const { type, bytes } = factsOf(file);
  const name = fileName(file);
  const address = fileAddress(file, server.base);
  const width = textOf(at(file, "width"));
  return (
    <div class="file-view">
      {address && isPicture(file, address, server.base) && <img src={address.href} alt={name} />}
      <span class="text" dir="auto">
        {name}
        <small>{[type, sizeText(bytes), ...(width === "" ? [] : [`${width} × ${textOf(at(file, "height"))} pixels`])].join(", ")}</small>
      </span>
      {address && (
        <a class="button" href={address.href} download={name} aria-label={`Download ${name}`}>
          Download
        </a>
      )}
    </div>
  );
}
