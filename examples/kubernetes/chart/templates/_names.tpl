{{- /* The application file, read. */ -}}
{{- define "idlalayer.application" -}}
{{- $read := fromYaml .Values.application -}}
{{- if $read.Error -}}{{- fail (printf "application is no YAML: %s" $read.Error) -}}{{- end -}}
{{- $name := required "application: the file needs a name" $read.name -}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]{0,43}[a-z0-9])?$" $name) -}}
{{- fail (printf "application: name %q cannot be a name in Kubernetes: at most 45 small letters, digits and hyphens" $name) -}}
{{- end -}}
{{- $publishing := required "application: the file needs publishing.directory, where pods find the models" ($read.publishing | default dict).directory -}}
{{- if not (hasPrefix "s3://" $publishing) -}}
{{- fail (printf "application: publishing.directory is %q, which is a folder of one pod: name an object store, s3://BUCKET/PREFIX" $publishing) -}}
{{- end -}}
{{- toJson (dict "name" $name "models" $publishing) -}}
{{- end -}}

{{- define "idlalayer.objectStore" -}}
- configMapRef: {name: {{ .app.name }}-object-store}
- secretRef: {name: {{ .Values.objectStore.secret }}}
{{- end -}}
