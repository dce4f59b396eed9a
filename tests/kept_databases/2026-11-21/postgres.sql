






CREATE TABLE public.__diesel_schema_migrations (
    version character varying(50) NOT NULL,
    run_on timestamp without time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);



CREATE TABLE public.accounts (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    phone_number text NOT NULL,
    display_name text NOT NULL,
    channel text NOT NULL,
    connected_at timestamp with time zone NOT NULL,
    phone_number_id text,
    waba_id text,
    access_token bytea
);



CREATE TABLE public.applications (
    id uuid NOT NULL,
    client_id text NOT NULL,
    secret_digest bytea NOT NULL,
    name text NOT NULL,
    description text,
    start_url text,
    redirect_uris json NOT NULL,
    scopes text NOT NULL,
    organization_id uuid,
    published boolean NOT NULL,
    verified boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);



CREATE TABLE public.callbacks (
    id uuid NOT NULL,
    channel text NOT NULL,
    payload json NOT NULL,
    attempts integer NOT NULL,
    due_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone NOT NULL
);



CREATE TABLE public.codes (
    digest bytea NOT NULL,
    application_id uuid NOT NULL,
    redirect_uri text NOT NULL,
    challenge text NOT NULL,
    organization_id uuid NOT NULL,
    account_id uuid,
    scopes text NOT NULL,
    issued_at timestamp with time zone NOT NULL,
    consumed_at timestamp with time zone
);



CREATE TABLE public.connections (
    id uuid NOT NULL,
    application_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    account_id uuid,
    key_id uuid NOT NULL,
    scopes text NOT NULL,
    state text NOT NULL,
    ending text,
    ending_reason text,
    connected_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone
);



CREATE TABLE public.consents (
    id uuid NOT NULL,
    session_digest bytea NOT NULL,
    application_id uuid NOT NULL,
    redirect_uri text NOT NULL,
    scopes text,
    state bytea NOT NULL,
    challenge text,
    wrong text,
    popup boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);



CREATE TABLE public.contacts (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    account_id uuid NOT NULL,
    phone_number text NOT NULL,
    created_at timestamp with time zone NOT NULL
);



CREATE TABLE public.conversations (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    account_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    phone_number text NOT NULL,
    agent_paused boolean NOT NULL,
    message_count bigint NOT NULL,
    last_message_at timestamp with time zone NOT NULL,
    last_inbound_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    outbox_due_at timestamp with time zone,
    outbox_claimed_until timestamp with time zone,
    agent_paused_by uuid
);



CREATE TABLE public.event_counters (
    organization_id uuid NOT NULL,
    last bigint NOT NULL
);



CREATE TABLE public.events (
    organization_id uuid NOT NULL,
    sequence bigint NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    account_id uuid,
    subject uuid,
    connection_id uuid,
    endpoint_id uuid,
    data json,
    at timestamp with time zone NOT NULL
);



CREATE TABLE public.fetches (
    message_id uuid NOT NULL,
    account_id uuid NOT NULL,
    file_id text NOT NULL,
    attempts integer NOT NULL,
    due_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone NOT NULL
);



CREATE TABLE public.handshakes (
    id uuid NOT NULL,
    application_id uuid NOT NULL,
    organization_id uuid,
    failure text,
    at timestamp with time zone NOT NULL
);



CREATE TABLE public.idempotency (
    key_id uuid NOT NULL,
    path text NOT NULL,
    idempotency_key text NOT NULL,
    body_digest bytea NOT NULL,
    status integer NOT NULL,
    answer text NOT NULL,
    created_at timestamp with time zone NOT NULL
);



CREATE TABLE public.keys (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    client_id text NOT NULL,
    secret_digest bytea NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    account_id uuid,
    scopes text NOT NULL,
    rate_limit integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone
);



CREATE TABLE public.media (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    state text NOT NULL,
    file_name text NOT NULL,
    content_type text NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);



CREATE TABLE public.members (
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    created_at timestamp with time zone NOT NULL
);



CREATE TABLE public.memberships (
    member_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL
);



CREATE TABLE public.messages (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    account_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    "position" bigint NOT NULL,
    direction text NOT NULL,
    source text NOT NULL,
    type text NOT NULL,
    content json NOT NULL,
    status text NOT NULL,
    failure text,
    failure_message text,
    failure_code bigint,
    client_ref text,
    metadata json,
    reply_to uuid,
    channel_message_id text,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    delivered_at timestamp with time zone,
    read_at timestamp with time zone
);



CREATE TABLE public.organizations (
    id uuid NOT NULL,
    name text NOT NULL,
    subscription_status text NOT NULL,
    plan_id uuid,
    default_account_id uuid,
    created_at timestamp with time zone NOT NULL
);



CREATE TABLE public.outbox (
    conversation_id uuid NOT NULL,
    "position" bigint NOT NULL,
    message_id uuid NOT NULL,
    attempts integer NOT NULL,
    accepted_at timestamp with time zone NOT NULL
);



CREATE TABLE public.plans (
    id uuid NOT NULL,
    name text NOT NULL,
    api_access boolean NOT NULL,
    api_calls_per_day integer,
    messages_per_month integer,
    created_at timestamp with time zone NOT NULL
);



CREATE TABLE public.sessions (
    digest bytea NOT NULL,
    member_id uuid,
    organization_id uuid,
    created_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL
);



CREATE TABLE public.templates (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    language text NOT NULL,
    category text NOT NULL,
    status text NOT NULL,
    rejection_reason text,
    rejection_detail text,
    parameter_format text NOT NULL,
    components json NOT NULL,
    external_id text,
    submitted_at timestamp with time zone,
    reviewed_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    submission_due_at timestamp with time zone,
    submission_attempts integer DEFAULT 0 NOT NULL
);



CREATE TABLE public.usage (
    organization_id uuid NOT NULL,
    meter text NOT NULL,
    period integer NOT NULL,
    used integer NOT NULL,
    told boolean DEFAULT false NOT NULL
);



CREATE TABLE public.verdicts (
    id uuid NOT NULL,
    template_id uuid NOT NULL,
    verdict text NOT NULL,
    reason text,
    detail text,
    took_effect boolean NOT NULL,
    received_at timestamp with time zone NOT NULL
);



CREATE TABLE public.webhook_attempts (
    delivery_id uuid NOT NULL,
    number integer NOT NULL,
    at timestamp with time zone NOT NULL,
    took_ms integer NOT NULL,
    signature text NOT NULL,
    status integer,
    error text,
    response text
);



CREATE TABLE public.webhook_deliveries (
    id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    sequence bigint NOT NULL,
    event_id uuid NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    attempts integer NOT NULL,
    failures integer NOT NULL,
    due_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    completed_at timestamp with time zone,
    CONSTRAINT webhook_deliveries_check CHECK (((state = 'pending'::text) = (due_at IS NOT NULL)))
);



CREATE TABLE public.webhook_endpoints (
    id uuid NOT NULL,
    organization_id uuid,
    application_id uuid,
    url text NOT NULL,
    description text,
    events text NOT NULL,
    state text NOT NULL,
    disabled_reason text,
    disabled_at timestamp with time zone,
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_until timestamp with time zone,
    failing_since timestamp with time zone,
    due_at timestamp with time zone,
    claimed_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT webhook_endpoints_check CHECK (((organization_id IS NULL) OR (application_id IS NULL))),
    CONSTRAINT webhook_endpoints_check1 CHECK (((state = 'disabled'::text) = ((disabled_reason IS NOT NULL) AND (disabled_at IS NOT NULL))))
);



CREATE TABLE public.webhook_feeds (
    id bigint NOT NULL,
    endpoint_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    connection_id uuid,
    starts_after bigint NOT NULL,
    ends_with bigint,
    "position" bigint NOT NULL,
    replay boolean NOT NULL
);



ALTER TABLE public.webhook_feeds ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhook_feeds_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);



INSERT INTO public.__diesel_schema_migrations VALUES
	('20261121000000', '2026-11-22 13:04:42.791455'),
	('20261121160000', '2026-11-22 13:04:42.821869'),
	('20261121170000', '2026-11-22 13:04:42.836945'),
	('20261121184332', '2026-11-22 13:04:42.856583'),
	('20261121184535', '2026-11-22 13:04:42.867972');



INSERT INTO public.accounts VALUES
	('01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '+12025550190', 'Acme', 'sandbox', '2026-11-22 13:04:43.121312+00', NULL, NULL, NULL),
	('01a2035c-00b0-7464-b399-23790f3fef5b', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '+12025550195', 'Cloud', 'cloud_api', '2026-11-22 13:04:50.864448+00', '106540352242922', '102290129340398', '\x0926ccf3ee6ad92f4bdb3a5c0faa5f419a2c10c502adc44350ed1af0d23367cb5e168fc05cdd45dd78e776');



INSERT INTO public.applications VALUES
	('01a2035b-e325-751c-b3fb-eadfdcaf4599', 'swa_2Yr6wcZ7Bq8nFvOS1qsdHc', '\x2821dd10bb63b9db0304de1490dffb6163e583d0637e5b7f8eaf3c9b18d063a0', 'Partner CRM', NULL, NULL, '["https://partner.example/callback"]', 'messages.send conversations.read', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', false, false, '2026-11-22 13:04:43.30146+00', NULL);






INSERT INTO public.codes VALUES
	('\xfbc71193c7b6ab2ab2942759bbe9d4f9d90f17e69482d3c3fe64ae89028de0da', '01a2035b-e325-751c-b3fb-eadfdcaf4599', 'https://partner.example/callback', 'a0PNz34RkxVavbgzVGYsLV5vj7O11Ir3dTQOnKf5jKI', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', 'messages.send conversations.read', '2026-11-22 13:04:43.404191+00', '2026-11-22 13:04:43.407337+00');



INSERT INTO public.connections VALUES
	('01a2035b-e391-7bb9-b445-c2ef2e0de752', '01a2035b-e325-751c-b3fb-eadfdcaf4599', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e391-7a2c-967e-60d3daab89c8', 'messages.send conversations.read', 'connected', NULL, NULL, '2026-11-22 13:04:43.409346+00', NULL);



INSERT INTO public.consents VALUES
	('01a2035b-e362-7ea2-a3ed-c5a5b3beab58', '\xe9ddb48437948310f934c882d09703a9e6fb28cf176ffee43b22f129e750ea22', '01a2035b-e325-751c-b3fb-eadfdcaf4599', 'https://partner.example/callback', 'messages.send conversations.read', '\x6b657074', 'a0PNz34RkxVavbgzVGYsLV5vj7O11Ir3dTQOnKf5jKI', NULL, false, '2026-11-22 13:04:43.362549+00', '2026-11-22 13:04:43.404191+00');



INSERT INTO public.contacts VALUES
	('01a2035b-e7ea-7266-8809-2fc8fc30d283', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '+12025550100', '2026-11-22 13:04:44.522769+00'),
	('01a2035b-e814-7101-bc4e-b3685eebcb9c', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '+12025550103', '2026-11-22 13:04:44.564558+00'),
	('01a2035c-0157-7d34-b68f-5fa3a57f5b41', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035c-00b0-7464-b399-23790f3fef5b', '+12025550155', '2026-11-22 13:04:51.031883+00');



INSERT INTO public.conversations VALUES
	('01a2035b-e814-7870-b520-32318094b775', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e814-7101-bc4e-b3685eebcb9c', '+12025550103', true, 1, '2026-11-22 13:04:44.564558+00', NULL, '2026-11-22 13:04:44.564558+00', NULL, NULL, '01a2035b-e814-7c65-be26-2e6d9ea45d62'),
	('01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-7266-8809-2fc8fc30d283', '+12025550100', true, 12, '2026-11-22 13:04:45.340375+00', '2026-11-22 13:04:45.340375+00', '2026-11-22 13:04:44.522769+00', NULL, NULL, '01a2035b-e7ea-79ca-a809-6588f42a0790'),
	('01a2035c-0157-7a35-8fc6-6271b2fc05f6', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035c-00b0-7464-b399-23790f3fef5b', '01a2035c-0157-7d34-b68f-5fa3a57f5b41', '+12025550155', true, 3, '2026-11-22 13:04:51.084191+00', NULL, '2026-11-22 13:04:51.031883+00', '2026-11-22 13:04:51.507988+00', NULL, '01a2035c-0157-73ed-8c12-7b53f6e4feae');



INSERT INTO public.event_counters VALUES
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 49);



INSERT INTO public.events VALUES
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 1, '01a2035b-e391-7bb9-b445-c2ef2e0de753', 'connection.created', '01a2035b-e271-7f0c-ae06-fc92207cff96', NULL, '01a2035b-e391-7bb9-b445-c2ef2e0de752', NULL, '{"id":"conn_01m81nqrwhfewv8he2xwq0vstj","application":{"client_id":"swa_2Yr6wcZ7Bq8nFvOS1qsdHc","name":"Partner CRM"},"client_id":"swk_2gzdsnLf1BNg0GE97UKEzp","account_id":"acc_01m81nqrkhfw6aw1qwj8g7szwp","scopes":["messages.send","conversations.read"],"connected_at":"2026-11-22T13:04:43.409Z"}', '2026-11-22 13:04:43.409346+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 2, '01a2035b-e3a3-7226-bf1b-f5d0751b2175', 'template.submitted', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e39d-7226-bf1b-f5d0751b2177', NULL, NULL, '{"id":"tpl_01m81nqrwxe8kby6znt1thp8bq","name":"order_update","language":"en","category":"utility","status":"pending","rejection_reason":null,"rejection_detail":null,"parameter_format":"positional","components":[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}],"account_id":"acc_01m81nqrkhfw6aw1qwj8g7szwp","external_id":"13770870561282138487","submitted_at":"2026-11-22T13:04:43.427Z","reviewed_at":null,"created_at":"2026-11-22T13:04:43.421Z","updated_at":"2026-11-22T13:04:43.427Z"}', '2026-11-22 13:04:43.427235+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 3, '01a2035b-e3b8-7704-a796-558815b00f77', 'template.submitted', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e3a6-7704-a796-558815b00f74', NULL, NULL, '{"id":"tpl_01m81nqrx6ew2af5jnh0av03vm","name":"order_update_rejected_scam","language":"en","category":"utility","status":"pending","rejection_reason":null,"rejection_detail":null,"parameter_format":"positional","components":[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}],"account_id":"acc_01m81nqrkhfw6aw1qwj8g7szwp","external_id":"12075933493808336756","submitted_at":"2026-11-22T13:04:43.448Z","reviewed_at":null,"created_at":"2026-11-22T13:04:43.430Z","updated_at":"2026-11-22T13:04:43.448Z"}', '2026-11-22 13:04:43.448478+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 4, '01a2035b-e78c-7226-bf1b-f5d0751b2173', 'template.approved', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e39d-7226-bf1b-f5d0751b2177', NULL, NULL, '{"id":"tpl_01m81nqrwxe8kby6znt1thp8bq","name":"order_update","language":"en","category":"utility","status":"approved","rejection_reason":null,"rejection_detail":null,"parameter_format":"positional","components":[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}],"account_id":"acc_01m81nqrkhfw6aw1qwj8g7szwp","external_id":"13770870561282138487","submitted_at":"2026-11-22T13:04:43.427Z","reviewed_at":"2026-11-22T13:04:44.428Z","created_at":"2026-11-22T13:04:43.421Z","updated_at":"2026-11-22T13:04:44.428Z"}', '2026-11-22 13:04:44.428938+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 5, '01a2035b-e7a2-7704-a796-558815b00f71', 'template.rejected', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e3a6-7704-a796-558815b00f74', NULL, NULL, '{"id":"tpl_01m81nqrx6ew2af5jnh0av03vm","name":"order_update_rejected_scam","language":"en","category":"utility","status":"rejected","rejection_reason":"scam","rejection_detail":"The sandbox''s reviewer rejects a name that ends in _rejected_scam.","parameter_format":"positional","components":[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}],"account_id":"acc_01m81nqrkhfw6aw1qwj8g7szwp","external_id":"12075933493808336756","submitted_at":"2026-11-22T13:04:43.448Z","reviewed_at":"2026-11-22T13:04:44.450Z","created_at":"2026-11-22T13:04:43.430Z","updated_at":"2026-11-22T13:04:44.450Z"}', '2026-11-22 13:04:44.450434+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 6, '01a2035b-e7ea-7266-8809-2fc8fc30d285', 'contact.created', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-7266-8809-2fc8fc30d283', NULL, NULL, NULL, '2026-11-22 13:04:44.522769+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 7, '01a2035b-e7ea-712f-98d5-1c73277a758f', 'conversation.created', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', NULL, NULL, NULL, '2026-11-22 13:04:44.522769+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 8, '01a2035b-e7ea-79ca-a809-6588f42a0798', 'message.queued', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-79ca-a809-6588f42a0790', NULL, NULL, NULL, '2026-11-22 13:04:44.522769+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 9, '01a2035b-e7ea-712f-98d5-1c73277a7581', 'conversation.agent_paused', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', NULL, NULL, NULL, '2026-11-22 13:04:44.522769+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 10, '01a2035b-e7f4-7f0b-8e0f-c5e41a13182b', 'message.queued', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7f4-7f0b-8e0f-c5e41a131821', NULL, NULL, NULL, '2026-11-22 13:04:44.532333+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 11, '01a2035b-e7fd-70ca-a3c0-4943ffd10768', 'message.queued', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7fd-70ca-a3c0-4943ffd10763', NULL, NULL, NULL, '2026-11-22 13:04:44.54184+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 12, '01a2035b-e804-79bc-bfaa-a05b6424d240', 'message.queued', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e804-79bc-bfaa-a05b6424d24c', NULL, NULL, NULL, '2026-11-22 13:04:44.548349+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 13, '01a2035b-e80d-7292-82ad-70bda9cfcf9d', 'message.queued', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e80d-7292-82ad-70bda9cfcf90', NULL, NULL, NULL, '2026-11-22 13:04:44.557414+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 14, '01a2035b-e814-7101-bc4e-b3685eebcb92', 'contact.created', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e814-7101-bc4e-b3685eebcb9c', NULL, NULL, NULL, '2026-11-22 13:04:44.564558+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 15, '01a2035b-e814-7870-b520-32318094b77a', 'conversation.created', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e814-7870-b520-32318094b775', NULL, NULL, NULL, '2026-11-22 13:04:44.564558+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 16, '01a2035b-e814-7c65-be26-2e6d9ea45d72', 'message.queued', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e814-7c65-be26-2e6d9ea45d62', NULL, NULL, NULL, '2026-11-22 13:04:44.564558+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 17, '01a2035b-e814-7870-b520-32318094b764', 'conversation.agent_paused', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e814-7870-b520-32318094b775', NULL, NULL, NULL, '2026-11-22 13:04:44.564558+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 18, '01a2035b-e836-745b-a9b0-38ff603cfabe', 'message.queued', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e836-745b-a9b0-38ff603cfaac', NULL, NULL, NULL, '2026-11-22 13:04:44.598302+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 19, '01a2035b-e861-79ca-a809-6588f42a0783', 'message.sent', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-79ca-a809-6588f42a0790', NULL, NULL, NULL, '2026-11-22 13:04:44.641752+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 20, '01a2035b-e878-7f0b-8e0f-c5e41a131835', 'message.sent', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7f4-7f0b-8e0f-c5e41a131821', NULL, NULL, NULL, '2026-11-22 13:04:44.66488+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 21, '01a2035b-e878-70ca-a3c0-4943ffd10776', 'message.sent', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7fd-70ca-a3c0-4943ffd10763', NULL, NULL, NULL, '2026-11-22 13:04:44.66488+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 22, '01a2035b-e889-79bc-bfaa-a05b6424d25a', 'message.sent', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e804-79bc-bfaa-a05b6424d24c', NULL, NULL, NULL, '2026-11-22 13:04:44.681268+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 23, '01a2035b-e889-7292-82ad-70bda9cfcf87', 'message.sent', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e80d-7292-82ad-70bda9cfcf90', NULL, NULL, NULL, '2026-11-22 13:04:44.681268+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 24, '01a2035b-e8ab-7c65-be26-2e6d9ea45d7a', 'message.failed', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e814-7c65-be26-2e6d9ea45d62', NULL, NULL, NULL, '2026-11-22 13:04:44.715314+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 25, '01a2035b-e8c6-745b-a9b0-38ff603cfab5', 'message.sent', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e836-745b-a9b0-38ff603cfaac', NULL, NULL, NULL, '2026-11-22 13:04:44.742697+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 26, '01a2035b-e8f6-79ca-a809-6588f42a078a', 'message.delivered', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-79ca-a809-6588f42a0790', NULL, NULL, NULL, '2026-11-22 13:04:44.790022+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 27, '01a2035b-e907-7f0b-8e0f-c5e41a13183a', 'message.delivered', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7f4-7f0b-8e0f-c5e41a131821', NULL, NULL, NULL, '2026-11-22 13:04:44.807114+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 28, '01a2035b-e907-70ca-a3c0-4943ffd1077f', 'message.delivered', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7fd-70ca-a3c0-4943ffd10763', NULL, NULL, NULL, '2026-11-22 13:04:44.807114+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 29, '01a2035b-e919-79bc-bfaa-a05b6424d251', 'message.delivered', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e804-79bc-bfaa-a05b6424d24c', NULL, NULL, NULL, '2026-11-22 13:04:44.82559+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 30, '01a2035b-e919-7292-82ad-70bda9cfcf8e', 'message.delivered', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e80d-7292-82ad-70bda9cfcf90', NULL, NULL, NULL, '2026-11-22 13:04:44.82559+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 31, '01a2035b-e962-745b-a9b0-38ff603cfab3', 'message.delivered', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e836-745b-a9b0-38ff603cfaac', NULL, NULL, NULL, '2026-11-22 13:04:44.898178+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 32, '01a2035b-e9bf-79ca-a809-6588f42a07b0', 'message.read', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-79ca-a809-6588f42a0790', NULL, NULL, NULL, '2026-11-22 13:04:44.991013+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 33, '01a2035b-e9d7-7f0b-8e0f-c5e41a131800', 'message.read', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7f4-7f0b-8e0f-c5e41a131821', NULL, NULL, NULL, '2026-11-22 13:04:45.015905+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 34, '01a2035b-e9d7-70ca-a3c0-4943ffd10741', 'message.read', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7fd-70ca-a3c0-4943ffd10763', NULL, NULL, NULL, '2026-11-22 13:04:45.015905+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 35, '01a2035b-e9e9-79bc-bfaa-a05b6424d26f', 'message.read', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e804-79bc-bfaa-a05b6424d24c', NULL, NULL, NULL, '2026-11-22 13:04:45.033233+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 36, '01a2035b-e9e9-7292-82ad-70bda9cfcfb4', 'message.read', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e80d-7292-82ad-70bda9cfcf90', NULL, NULL, NULL, '2026-11-22 13:04:45.033233+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 37, '01a2035b-ea25-745b-a9b0-38ff603cfa89', 'message.read', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e836-745b-a9b0-38ff603cfaac', NULL, NULL, NULL, '2026-11-22 13:04:45.093346+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 38, '01a2035b-eab9-742f-99c7-72637576dc62', 'message.received', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-eab5-742f-99c7-72637576dc44', NULL, NULL, NULL, '2026-11-22 13:04:45.241157+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 39, '01a2035b-eaca-7e77-a1ab-20b1a393e676', 'message.received', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-eac8-7e77-a1ab-20b1a393e651', NULL, NULL, NULL, '2026-11-22 13:04:45.258461+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 40, '01a2035b-ead3-7324-b859-591cef86b7e7', 'message.received', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-eac8-7324-b859-591cef86b7cf', NULL, NULL, NULL, '2026-11-22 13:04:45.267878+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 41, '01a2035b-eaf3-79eb-b207-5af23b6955b6', 'message.received', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-eaeb-79eb-b207-5af23b69559f', NULL, NULL, NULL, '2026-11-22 13:04:45.299935+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 42, '01a2035b-eb0c-7042-8837-b765529fae10', 'message.received', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-eaeb-7042-8837-b765529fae3a', NULL, NULL, NULL, '2026-11-22 13:04:45.324628+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 43, '01a2035b-eb22-74aa-b1d9-05e5c21d4424', 'message.received', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-eb1c-74aa-b1d9-05e5c21d440f', NULL, NULL, NULL, '2026-11-22 13:04:45.346944+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 44, '01a2035c-0157-7d34-b68f-5fa3a57f5b6d', 'contact.created', '01a2035c-00b0-7464-b399-23790f3fef5b', '01a2035c-0157-7d34-b68f-5fa3a57f5b41', NULL, NULL, NULL, '2026-11-22 13:04:51.031883+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 45, '01a2035c-0157-7a35-8fc6-6271b2fc05db', 'conversation.created', '01a2035c-00b0-7464-b399-23790f3fef5b', '01a2035c-0157-7a35-8fc6-6271b2fc05f6', NULL, NULL, NULL, '2026-11-22 13:04:51.031883+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 46, '01a2035c-0157-73ed-8c12-7b53f6e4fe80', 'message.queued', '01a2035c-00b0-7464-b399-23790f3fef5b', '01a2035c-0157-73ed-8c12-7b53f6e4feae', NULL, NULL, NULL, '2026-11-22 13:04:51.031883+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 47, '01a2035c-0157-7a35-8fc6-6271b2fc05d9', 'conversation.agent_paused', '01a2035c-00b0-7464-b399-23790f3fef5b', '01a2035c-0157-7a35-8fc6-6271b2fc05f6', NULL, NULL, NULL, '2026-11-22 13:04:51.031883+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 48, '01a2035c-0178-74e7-b95c-34bffb8cbe50', 'message.queued', '01a2035c-00b0-7464-b399-23790f3fef5b', '01a2035c-0178-74e7-b95c-34bffb8cbe60', NULL, NULL, NULL, '2026-11-22 13:04:51.064741+00'),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 49, '01a2035c-018c-7e7a-9c1c-de99e9bcb548', 'message.queued', '01a2035c-00b0-7464-b399-23790f3fef5b', '01a2035c-018c-7e7a-9c1c-de99e9bcb579', NULL, NULL, NULL, '2026-11-22 13:04:51.084191+00');






INSERT INTO public.handshakes VALUES
	('01a2035b-e38f-7ed8-bce9-02f97b41e2d2', '01a2035b-e325-751c-b3fb-eadfdcaf4599', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', NULL, '2026-11-22 13:04:43.407337+00');



INSERT INTO public.idempotency VALUES
	('01a2035b-e2d5-7379-a451-ca28df0ba07d', '/api/v1/messages', 'kept-1', '\xa04f079cb241ae3b2a6ca311fbc212dd12f155643209a6141e2b7452959b43e1', 201, '{"id":"msg_01m81nqt1pehdtkc1rzxg3sync","status":"queued","direction":"outbound","type":"text","conversation_id":"conv_01m81nqszae4qshn8weckqmxc8","contact_id":"ctc_01m81nqszae9k8g29fs3y31mm3","account_id":"acc_01m81nqrkhfw6aw1qwj8g7szwp","phone_number":"+12025550100","channel_message_id":null,"client_ref":null,"warnings":["window_closed"],"created_at":"2026-11-22T13:04:44.598Z"}', '2026-11-22 13:04:44.598302+00');



INSERT INTO public.keys VALUES
	('01a2035b-e2eb-78d2-a276-edb024fa7b0e', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 'swk_6a12YpgMfJywVNrhwSZDDS', '\x14ab6f6f8a954773ff40e326607fb051034d21bfa24359a68dcca5f04a3a31d3', 'Off', 'manual', 'inactive', NULL, 'messages.send templates.read templates.write conversations.read media.write', 5, '2026-11-22 13:04:43.243969+00', NULL),
	('01a2035b-e391-7a2c-967e-60d3daab89c8', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 'swk_2gzdsnLf1BNg0GE97UKEzp', '\x695baf1119cfe1225139c606b71a2dca47c3ba1d464b08a8691dfb4919048925', 'Partner CRM', 'connection', 'active', '01a2035b-e271-7f0c-ae06-fc92207cff96', 'messages.send conversations.read', 100, '2026-11-22 13:04:43.409346+00', NULL),
	('01a2035b-e2d5-7379-a451-ca28df0ba07d', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 'swk_2JOoguzDM5AksbTzteFlig', '\x9cf7d66cf041ca3b2b0c93c7d1567d01c034296784abcd4c4a01931186703d42', 'Shop', 'manual', 'active', NULL, 'messages.send templates.read templates.write conversations.read media.write', 0, '2026-11-22 13:04:43.221429+00', '2026-11-22 13:04:49.817118+00'),
	('01a2035c-00ce-73c1-af74-f407fa4243b7', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 'swk_6FbWEmVm7alYC75yIZ0Wbg', '\x34ef422e938d49b647812dc775df013d4e207c7d35ce64b0f5d3b5773dfb7fe3', 'Cloud', 'manual', 'active', '01a2035c-00b0-7464-b399-23790f3fef5b', 'messages.send templates.read templates.write conversations.read media.write', 0, '2026-11-22 13:04:50.894675+00', NULL);



INSERT INTO public.media VALUES
	('01a2035b-e7e1-7885-8e59-08e3985cf6c0', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 'kept', 'logo.png', 'image/png', 70, '\x6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0', '2026-11-22 13:04:44.513745+00');



INSERT INTO public.members VALUES
	('01a2035b-e295-7a86-9945-f9bb9a8dcd5c', 'ada@acme.example', 'Ada', '$argon2id$v=19$m=19456,t=2,p=1$ZO0nR0z86mYYNmBk25XUGA$F/DlPRz7NQg64UtYOFz/Tp1rOC0qB5gd2XvUs8mg5/I', '2026-11-22 13:04:43.196635+00');



INSERT INTO public.memberships VALUES
	('01a2035b-e295-7a86-9945-f9bb9a8dcd5c', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '2026-11-22 13:04:43.196635+00');



INSERT INTO public.messages VALUES
	('01a2035b-e7ea-79ca-a809-6588f42a0790', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 1, 'outbound', 'api', 'text', '{"text":"Hello, ☕ and 😀"}', 'read', NULL, NULL, NULL, 'order-1', '{"order":"1"}', NULL, 'wamid.sandbox.01a2035be7ea79caa8096588f42a0790', '2026-11-22 13:04:44.522769+00', '2026-11-22 13:04:44.638281+00', '2026-11-22 13:04:44.786686+00', '2026-11-22 13:04:44.986816+00'),
	('01a2035b-e7f4-7f0b-8e0f-c5e41a131821', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 2, 'outbound', 'api', 'media', '{"url":"http://127.0.0.1:45247/media/med_01m81nqsz1f22rwp88wec5sxp0/logo.png","media_type":"image","caption":"Our logo","filename":null}', 'read', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.sandbox.01a2035be7f47f0b8e0fc5e41a131821', '2026-11-22 13:04:44.532333+00', '2026-11-22 13:04:44.661083+00', '2026-11-22 13:04:44.803238+00', '2026-11-22 13:04:45.012428+00'),
	('01a2035b-e7fd-70ca-a3c0-4943ffd10763', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 3, 'outbound', 'api', 'template', '{"name":"order_update","language":"en","components":[{"type":"body","parameters":[{"type":"text","text":"Ada"}]}]}', 'read', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.sandbox.01a2035be7fd70caa3c04943ffd10763', '2026-11-22 13:04:44.54184+00', '2026-11-22 13:04:44.661083+00', '2026-11-22 13:04:44.803238+00', '2026-11-22 13:04:45.012428+00'),
	('01a2035b-e804-79bc-bfaa-a05b6424d24c', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 4, 'outbound', 'api', 'interactive', '{"type":"button","body":{"text":"Coming?"},"action":{"buttons":[{"type":"reply","reply":{"id":"yes","title":"Yes"}},{"type":"reply","reply":{"id":"no","title":"No"}}]}}', 'read', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.sandbox.01a2035be80479bcbfaaa05b6424d24c', '2026-11-22 13:04:44.548349+00', '2026-11-22 13:04:44.679286+00', '2026-11-22 13:04:44.823264+00', '2026-11-22 13:04:45.02951+00'),
	('01a2035b-e814-7c65-be26-2e6d9ea45d62', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e814-7870-b520-32318094b775', '01a2035b-e814-7101-bc4e-b3685eebcb9c', 1, 'outbound', 'api', 'text', '{"text":"Hi"}', 'failed', 'recipient_unreachable', 'Message undeliverable', 131026, NULL, NULL, NULL, 'wamid.sandbox.01a2035be8147c65be262e6d9ea45d62', '2026-11-22 13:04:44.564558+00', NULL, NULL, NULL),
	('01a2035b-e80d-7292-82ad-70bda9cfcf90', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 5, 'outbound', 'api', 'interactive', '{"type":"list","body":{"text":"Which one?"},"action":{"button":"Choose","sections":[{"title":"Cakes","rows":[{"id":"apple","title":"Apple"},{"id":"plum","title":"Plum"}]}]}}', 'read', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.sandbox.01a2035be80d729282ad70bda9cfcf90', '2026-11-22 13:04:44.557414+00', '2026-11-22 13:04:44.679286+00', '2026-11-22 13:04:44.823264+00', '2026-11-22 13:04:45.02951+00'),
	('01a2035b-e836-745b-a9b0-38ff603cfaac', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 6, 'outbound', 'api', 'text', '{"text":"Once"}', 'read', NULL, NULL, NULL, NULL, NULL, '01a2035b-e7ea-79ca-a809-6588f42a0790', 'wamid.sandbox.01a2035be836745ba9b038ff603cfaac', '2026-11-22 13:04:44.598302+00', '2026-11-22 13:04:44.740327+00', '2026-11-22 13:04:44.889947+00', '2026-11-22 13:04:45.090041+00'),
	('01a2035b-eab5-742f-99c7-72637576dc44', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 7, 'inbound', 'customer', 'text', '{"text":"Hello, ☕ and 😀"}', 'received', NULL, NULL, NULL, NULL, NULL, '01a2035b-e7ea-79ca-a809-6588f42a0790', 'wamid.sandbox.01a2035be7ea79caa8096588f42a0790.reply', '2026-11-22 13:04:45.23777+00', NULL, NULL, NULL),
	('01a2035b-eac8-7e77-a1ab-20b1a393e651', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 8, 'inbound', 'customer', 'text', '{"text":"[image] http://127.0.0.1:45247/media/med_01m81nqsz1f22rwp88wec5sxp0/logo.png\nOur logo"}', 'received', NULL, NULL, NULL, NULL, NULL, '01a2035b-e7f4-7f0b-8e0f-c5e41a131821', 'wamid.sandbox.01a2035be7f47f0b8e0fc5e41a131821.reply', '2026-11-22 13:04:45.256028+00', NULL, NULL, NULL),
	('01a2035b-eac8-7324-b859-591cef86b7cf', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 9, 'inbound', 'customer', 'text', '{"text":"Hello Ada, your order has left."}', 'received', NULL, NULL, NULL, NULL, NULL, '01a2035b-e7fd-70ca-a3c0-4943ffd10763', 'wamid.sandbox.01a2035be7fd70caa3c04943ffd10763.reply', '2026-11-22 13:04:45.256028+00', NULL, NULL, NULL),
	('01a2035b-eaeb-79eb-b207-5af23b69559f', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 10, 'inbound', 'customer', 'text', '{"text":"Coming?\n[Yes]\n[No]"}', 'received', NULL, NULL, NULL, NULL, NULL, '01a2035b-e804-79bc-bfaa-a05b6424d24c', 'wamid.sandbox.01a2035be80479bcbfaaa05b6424d24c.reply', '2026-11-22 13:04:45.291635+00', NULL, NULL, NULL),
	('01a2035b-eaeb-7042-8837-b765529fae3a', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 11, 'inbound', 'customer', 'text', '{"text":"Which one?\n[Choose]"}', 'received', NULL, NULL, NULL, NULL, NULL, '01a2035b-e80d-7292-82ad-70bda9cfcf90', 'wamid.sandbox.01a2035be80d729282ad70bda9cfcf90.reply', '2026-11-22 13:04:45.291635+00', NULL, NULL, NULL),
	('01a2035b-eb1c-74aa-b1d9-05e5c21d440f', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', '01a2035b-e7ea-712f-98d5-1c73277a7588', '01a2035b-e7ea-7266-8809-2fc8fc30d283', 12, 'inbound', 'customer', 'text', '{"text":"Once"}', 'received', NULL, NULL, NULL, NULL, NULL, '01a2035b-e836-745b-a9b0-38ff603cfaac', 'wamid.sandbox.01a2035be836745ba9b038ff603cfaac.reply', '2026-11-22 13:04:45.340375+00', NULL, NULL, NULL),
	('01a2035c-0157-73ed-8c12-7b53f6e4feae', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035c-00b0-7464-b399-23790f3fef5b', '01a2035c-0157-7a35-8fc6-6271b2fc05f6', '01a2035c-0157-7d34-b68f-5fa3a57f5b41', 1, 'outbound', 'api', 'text', '{"text":"Waiting 0"}', 'queued', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-22 13:04:51.031883+00', NULL, NULL, NULL),
	('01a2035c-0178-74e7-b95c-34bffb8cbe60', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035c-00b0-7464-b399-23790f3fef5b', '01a2035c-0157-7a35-8fc6-6271b2fc05f6', '01a2035c-0157-7d34-b68f-5fa3a57f5b41', 2, 'outbound', 'api', 'text', '{"text":"Waiting 1"}', 'queued', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-22 13:04:51.064741+00', NULL, NULL, NULL),
	('01a2035c-018c-7e7a-9c1c-de99e9bcb579', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035c-00b0-7464-b399-23790f3fef5b', '01a2035c-0157-7a35-8fc6-6271b2fc05f6', '01a2035c-0157-7d34-b68f-5fa3a57f5b41', 3, 'outbound', 'api', 'text', '{"text":"Waiting 2"}', 'queued', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-22 13:04:51.084191+00', NULL, NULL, NULL);



INSERT INTO public.organizations VALUES
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 'Acme', 'active', '01a2035b-e21b-7bdf-b2de-72ccfff093c6', '01a2035b-e271-7f0c-ae06-fc92207cff96', '2026-11-22 13:04:43.088465+00');



INSERT INTO public.outbox VALUES
	('01a2035c-0157-7a35-8fc6-6271b2fc05f6', 2, '01a2035c-0178-74e7-b95c-34bffb8cbe60', 0, '2026-11-22 13:04:51.064741+00'),
	('01a2035c-0157-7a35-8fc6-6271b2fc05f6', 1, '01a2035c-0157-73ed-8c12-7b53f6e4feae', 1, '2026-11-22 13:04:51.031883+00'),
	('01a2035c-0157-7a35-8fc6-6271b2fc05f6', 3, '01a2035c-018c-7e7a-9c1c-de99e9bcb579', 0, '2026-11-22 13:04:51.084191+00');



INSERT INTO public.plans VALUES
	('01a2035b-e21b-7bdf-b2de-72ccfff093c6', 'Pro', true, 100000, 10000, '2026-11-22 13:04:43.03589+00');



INSERT INTO public.sessions VALUES
	('\xe9ddb48437948310f934c882d09703a9e6fb28cf176ffee43b22f129e750ea22', '01a2035b-e295-7a86-9945-f9bb9a8dcd5c', NULL, '2026-11-22 13:04:43.339797+00', '2026-11-22 13:04:43.339797+00');



INSERT INTO public.templates VALUES
	('01a2035b-e39d-7226-bf1b-f5d0751b2177', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', 'order_update', 'en', 'utility', 'approved', NULL, NULL, 'positional', '[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}]', '13770870561282138487', '2026-11-22 13:04:43.427235+00', '2026-11-22 13:04:44.428938+00', '2026-11-22 13:04:43.42155+00', '2026-11-22 13:04:44.428938+00', NULL, 1),
	('01a2035b-e3a6-7704-a796-558815b00f74', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', '01a2035b-e271-7f0c-ae06-fc92207cff96', 'order_update_rejected_scam', 'en', 'utility', 'rejected', 'scam', 'The sandbox''s reviewer rejects a name that ends in _rejected_scam.', 'positional', '[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}]', '12075933493808336756', '2026-11-22 13:04:43.448478+00', '2026-11-22 13:04:44.450434+00', '2026-11-22 13:04:43.430708+00', '2026-11-22 13:04:44.450434+00', NULL, 1);



INSERT INTO public.usage VALUES
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 'api_calls', 20261122, 50, false),
	('01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 'messages', 202611, 10, false);



INSERT INTO public.verdicts VALUES
	('01a2035b-e3a3-7340-94bf-a6e6ad57e1a8', '01a2035b-e39d-7226-bf1b-f5d0751b2177', 'pending', NULL, NULL, true, '2026-11-22 13:04:43.427235+00'),
	('01a2035b-e3b8-7df8-a6b0-f0fd34df3dc5', '01a2035b-e3a6-7704-a796-558815b00f74', 'pending', NULL, NULL, true, '2026-11-22 13:04:43.448478+00'),
	('01a2035b-e78c-7b4a-a743-3d235a430906', '01a2035b-e39d-7226-bf1b-f5d0751b2177', 'approved', NULL, NULL, true, '2026-11-22 13:04:44.428938+00'),
	('01a2035b-e7a2-7012-b4d9-9e69309529d0', '01a2035b-e3a6-7704-a796-558815b00f74', 'rejected', 'scam', 'The sandbox''s reviewer rejects a name that ends in _rejected_scam.', true, '2026-11-22 13:04:44.450434+00');



INSERT INTO public.webhook_attempts VALUES
	('01a2035b-e3de-75cc-9d29-50bf625bba88', 1, '2026-11-22 13:04:43.494654+00', 0, 'v1,1HorpEhnZoo8wjsVQPScfcHLU17HGWlvWFZP88EjFqA=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e3de-7ce3-9513-1f544540766c', 1, '2026-11-22 13:04:43.494956+00', 0, 'v1,Q/2Ne+086XkwLsNUaVP2XyFIAzRZV+DWJKe6VqpoGMU=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e3de-7f82-a2ea-716dc7cfaf2f', 1, '2026-11-22 13:04:43.495019+00', 0, 'v1,V5A/WgPCz6MVysUiSC1IYR9pSVi/o4dovqFw8aME0Uk=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e798-7792-a771-2a2959c6b1a0', 1, '2026-11-22 13:04:44.448583+00', 0, 'v1,yZGCvYbQl8cKSktSTk9ZQiFoNmE2BHBtbynfE6wi/Cc=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e7a9-7fa0-8779-d5ca9e8aa572', 1, '2026-11-22 13:04:44.463648+00', 0, 'v1,2k06ce+01Xs+iHxZuQ9LzhgV5HP8xN/Huu1tTQpETj4=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e7f3-763b-aaf8-d64bab6339a8', 1, '2026-11-22 13:04:44.544329+00', 0, 'v1,bQ6LrptBQll2NNneyCAEb9yQgwrCaKKabJZ6nflIaxQ=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e7f3-79f7-a145-a4ce4c9d3d83', 1, '2026-11-22 13:04:44.562169+00', 0, 'v1,sKVJu3elNatPGyWPU500cp5Tn/VOgLub5epMkbZ1IHM=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e7f3-7426-8721-0e709f49b5eb', 1, '2026-11-22 13:04:44.571828+00', 0, 'v1,pFeljvvEkxv41e3xSF3qvlZhjadg6EoxpRCx6gq+nkE=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e7f3-7a89-b1e2-29cad94b32dd', 1, '2026-11-22 13:04:44.582133+00', 0, 'v1,mglHpoFg+Ihg8Kr2kvevxaeKW37tUdXo/zFLtLQsRAo=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e806-70b2-a4e5-ce7f5ef451ec', 1, '2026-11-22 13:04:44.598348+00', 0, 'v1,E+I5vqrhPZgDgg1FTGjEsy/jUvCk4sXBsbO2nGbnOjE=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e806-7e25-b81d-e211b0630f09', 1, '2026-11-22 13:04:44.608251+00', 0, 'v1,qHSpqh1J1FliPEWFvOyLPHj2Hx7TrJKqG+Ac5YmeIng=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e81a-78de-8226-aebb81240e2f', 1, '2026-11-22 13:04:44.621153+00', 0, 'v1,lGqT4W88J3kR0zapZDDq9x+p31r1cQhlG7k1wNeQflY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e81a-7424-b26e-840e68d00b5f', 1, '2026-11-22 13:04:44.634013+00', 0, 'v1,kw6mFhdN9nXAjF4YkjVl0ob8ezvypNMZ1dDaIsl5v/8=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e831-7476-9e81-c621eb6afdf8', 1, '2026-11-22 13:04:44.646593+00', 0, 'v1,EJuYrMBtIqoOJ4CYDYpElsqoSHZk7XXWXGy6qnGICsw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e831-7b74-a47d-5d55a49c1bb5', 1, '2026-11-22 13:04:44.66441+00', 0, 'v1,46oqQXSrBtwEDoTr6u9xsHQ5w4rimBN7H1f3NJpRUGU=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e831-7288-bd27-600cc459cb9b', 1, '2026-11-22 13:04:44.674723+00', 0, 'v1,9D29eKXJ/3S6FICwRqe+gxP5QT4SJ9YzBi2mLSUe9gU=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e831-777d-8232-ce579369f9d4', 1, '2026-11-22 13:04:44.686732+00', 0, 'v1,RDbgNjJVf3ov8qOm8U+LJMIqL+o3T2JAnPt/8mf89kU=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e845-775b-a48e-fe2c4938194b', 1, '2026-11-22 13:04:44.698944+00', 0, 'v1,tvIwh3fRMrPpw2sgr7pnsicV9df6u9mw5MECz7DBeMk=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e868-750e-bf84-325ee6602c47', 1, '2026-11-22 13:04:44.712209+00', 0, 'v1,Hcv5RDNseJuVxO0A3py/WvdlyFtY2imbQP4zEzluDOQ=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e87d-7218-aae0-7878ba3cdd43', 1, '2026-11-22 13:04:44.727582+00', 0, 'v1,I7RJWucggzPZUTV6dQy90in9Til+KxFOBJ/hg3o2JJM=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e87d-7767-989c-b8ac42be8073', 1, '2026-11-22 13:04:44.745258+00', 0, 'v1,lgr1aWVCKOFvaQUhFbd2rBB2fYw4cAHXI3d35LijL60=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e88c-7c08-8512-2fa409bb6aec', 1, '2026-11-22 13:04:44.761808+00', 0, 'v1,+zJAVGTG4m2TLs9aiPines1qF+LPkJ8ryWCl6BwOEzw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e88c-704e-a54f-b6dc1001b4ed', 1, '2026-11-22 13:04:44.774455+00', 0, 'v1,lteIwtCF2FhtnVCyTaTGniRpWnlQ+R7IQ9QYBNqmM44=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e8ae-78b5-9175-6f75f42b05a4', 1, '2026-11-22 13:04:44.792919+00', 0, 'v1,W9rmtYagpGhSbTYgnYESc/ILBQNUH4H8NhrwBgYJRCE=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e8cb-7b0c-832f-5d5122896588', 1, '2026-11-22 13:04:44.80618+00', 0, 'v1,heZRomu2EO/yGbbSTMbh4qVGEGe4lTutP8T6Qgno2/Q=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e8fb-7296-9af5-ef880b56a36c', 1, '2026-11-22 13:04:44.821788+00', 0, 'v1,0YzK3+JfAIcSnfoYirt/3AJ62pGA/E3gdOTH9Sj3NDk=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e90d-7740-8a30-55fe53a9d35a', 1, '2026-11-22 13:04:44.837955+00', 0, 'v1,+vKP3KBCZgyQiSUPMYvYmP0umMK1LOz7GUE3wuZnXLc=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e90d-791f-a04e-fa5ca15f291a', 1, '2026-11-22 13:04:44.857871+00', 0, 'v1,Fj+3Wx/yj6wAWu6biyTiznpVIIjPsTTFNSDAW/cFIP0=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e91c-7ab0-b849-95459f3a1029', 1, '2026-11-22 13:04:44.888424+00', 0, 'v1,QTuv13OLJ4Auzr7MgwEwwNbzXynLYHXTr2Q5eKeWeEk=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e91c-72da-bea1-af062ebca105', 1, '2026-11-22 13:04:44.911922+00', 0, 'v1,ZyyQ+wYRdZMHrWIFDzjD+4POZzPINtHTWhy9TVCT+mA=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e96b-7662-856f-6ac64eaa1834', 1, '2026-11-22 13:04:44.926161+00', 0, 'v1,D0DcPLUR5KUay1+LfupCBeIUpFjJcHYJAMKPEPzisZw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e9cb-78fe-9750-d6b3611b7c07', 1, '2026-11-22 13:04:45.009785+00', 0, 'v1,CptSlXHa6AZidd7Tszc9wd8G9zYp8ES+8CBTo9SpRaw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e9dc-7b00-b27b-19198dde5567', 1, '2026-11-22 13:04:45.031374+00', 0, 'v1,3tXYVVDVM4X3Qz2UjThyjaAQVROqzkaYVgZas56gMz4=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e9dc-7c92-81b7-78c347c775a2', 1, '2026-11-22 13:04:45.047701+00', 0, 'v1,vXn9bWbH0aIgB3uUk5hslRrTAqDMkQ7S9nP5WcDQge0=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e9f0-7398-9583-d31fa3befa92', 1, '2026-11-22 13:04:45.069969+00', 0, 'v1,vL7ynlLabZVvJ+1l6oahRgHY15fH9eKpaHpGvAKQ5Rw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e9f0-78b6-b41b-421ea91a06f9', 1, '2026-11-22 13:04:45.080872+00', 0, 'v1,97vtOlWJSsY9Ii9mdfTBYCR0K+/hBqkObNKbm43R7lY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-ea2e-7747-aaff-dfe3a3c0b0d5', 1, '2026-11-22 13:04:45.114348+00', 0, 'v1,o6rzoCiANm5PwBTMy8P8d/l917xgC7paVJnY9oi+Zw8=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-eabc-74c0-b627-41a94f00c18e', 1, '2026-11-22 13:04:45.252771+00', 0, 'v1,CFmOD1V1zH4QqGnHI62K40B518BKuI+JRiX5Rv9e2A4=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-ead5-78cf-9242-f7588989c289', 1, '2026-11-22 13:04:45.285266+00', 0, 'v1,vXR3NTe8hbEoinmhLKHunNr5Bk1GLx5XwviY/7uvrLQ=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-eaee-7d03-b54f-36de80509929', 1, '2026-11-22 13:04:45.325128+00', 0, 'v1,n4TmKJKkQIp+Ns072JTdfsFc7hRKN5VSXaXxRX8ee4c=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-eb0f-7dd0-a121-53597b7c77bc', 1, '2026-11-22 13:04:45.346495+00', 0, 'v1,6QtsB+db3m+qdVHJdHK4dil7x2KgrokReAOOLdbkuZ4=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-eb1f-77b0-bdec-302115d79422', 1, '2026-11-22 13:04:45.362374+00', 0, 'v1,Y2EdOyIayFN4dAZaF6voxbeIFlrbiZLHRcrFVJHjzc8=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-eb3c-76df-bb29-16cbda7194b8', 1, '2026-11-22 13:04:45.376902+00', 0, 'v1,IbOupT5bpPWkuYJoCV927dL2aUkRJxkcds6uNEpKljA=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e3de-7ce3-9513-1f544540766c', 2, '2026-11-22 13:04:48.819631+00', 0, 'v1,JWpnafehpNo/6p5VfozJIyVYv5SP1F0xco4K+arr6wU=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e3de-7f82-a2ea-716dc7cfaf2f', 2, '2026-11-22 13:04:48.857359+00', 0, 'v1,9GBZmZp2W4dAYrJPkfOPMJuny/g93S9Xt39dChaKCBw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e3de-75cc-9d29-50bf625bba88', 2, '2026-11-22 13:04:48.984314+00', 0, 'v1,rdLknmaVIVjMoM9e+YlZMrDrWaGtSaMfayAdvP/HgSw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e798-7792-a771-2a2959c6b1a0', 2, '2026-11-22 13:04:49.613843+00', 0, 'v1,9vXdkS4PCQFPKiEbfTQdLpFUB5dD95LA726pTDri21g=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e7f3-7a89-b1e2-29cad94b32dd', 2, '2026-11-22 13:04:49.625868+00', 0, 'v1,YyQoJIjthAF0UWj/bXjUjpmwN1y2eHBgEKF12NpAt58=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e81a-7424-b26e-840e68d00b5f', 2, '2026-11-22 13:04:49.688404+00', 0, 'v1,nlfITdb37DxFpsosUNs25lmUfQCEnFlmxvJ2/1OQohg=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e831-7288-bd27-600cc459cb9b', 2, '2026-11-22 13:04:49.719065+00', 0, 'v1,Wy/0348O14MQgQmdpAwbz4hsYxNvksukEOTvL0/L1bw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e7f3-79f7-a145-a4ce4c9d3d83', 2, '2026-11-22 13:04:49.755511+00', 0, 'v1,k0Vn454oaZ7FcZrXUz2r8SACyvOJbCBRAmX/aQclWmY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e806-7e25-b81d-e211b0630f09', 2, '2026-11-22 13:04:49.770273+00', 0, 'v1,xBXLo6/cwKG/zXbyErVj+1NPK4W4bOFT+8c+5cd/Tv4=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e806-70b2-a4e5-ce7f5ef451ec', 2, '2026-11-22 13:04:49.788191+00', 0, 'v1,i/HCZ666l6FLKzpVQnh+dLts8UUBEmkPw++HCJdX+CI=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e845-775b-a48e-fe2c4938194b', 2, '2026-11-22 13:04:51.025+00', 0, 'v1,jYUosg2hV6FcRPZjexOXqe/Ux+lHCloqcR2H7M/hraA=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e88c-704e-a54f-b6dc1001b4ed', 2, '2026-11-22 13:04:51.040814+00', 1, 'v1,RkvAskK9SJnsh342GBWgqfM9DwaCmOCYS+fmqqVY2sk=', NULL, 'Connection refused (os error 111)', NULL),
	('01a2035b-e7a9-7fa0-8779-d5ca9e8aa572', 2, '2026-11-22 13:04:51.069976+00', 1, 'v1,mVdQvfvE1dvQwUsu784dPCogk46/u76xTSiNwzpu6vE=', NULL, 'Connection refused (os error 111)', NULL);



INSERT INTO public.webhook_deliveries VALUES
	('01a2035b-e7f3-763b-aaf8-d64bab6339a8', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 6, '01a2035b-e7ea-7266-8809-2fc8fc30d285', 'contact.created', 'pending', 1, 1, '2026-11-22 13:04:50.003043+00', '2026-11-22 13:04:44.531985+00', NULL),
	('01a2035b-e7f3-7426-8721-0e709f49b5eb', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 8, '01a2035b-e7ea-79ca-a809-6588f42a0798', 'message.queued', 'pending', 1, 1, '2026-11-22 13:04:50.023769+00', '2026-11-22 13:04:44.531985+00', NULL),
	('01a2035b-e81a-78de-8226-aebb81240e2f', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 12, '01a2035b-e804-79bc-bfaa-a05b6424d240', 'message.queued', 'pending', 1, 1, '2026-11-22 13:04:49.985006+00', '2026-11-22 13:04:44.57057+00', NULL),
	('01a2035b-e831-7476-9e81-c621eb6afdf8', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 14, '01a2035b-e814-7101-bc4e-b3685eebcb92', 'contact.created', 'pending', 1, 1, '2026-11-22 13:04:49.947788+00', '2026-11-22 13:04:44.59389+00', NULL),
	('01a2035b-e831-7b74-a47d-5d55a49c1bb5', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 15, '01a2035b-e814-7870-b520-32318094b77a', 'conversation.created', 'pending', 1, 1, '2026-11-22 13:04:49.943399+00', '2026-11-22 13:04:44.59389+00', NULL),
	('01a2035b-e831-777d-8232-ce579369f9d4', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 17, '01a2035b-e814-7870-b520-32318094b764', 'conversation.agent_paused', 'pending', 1, 1, '2026-11-22 13:04:50.119043+00', '2026-11-22 13:04:44.59389+00', NULL),
	('01a2035b-e868-750e-bf84-325ee6602c47', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 19, '01a2035b-e861-79ca-a809-6588f42a0783', 'message.sent', 'pending', 1, 1, '2026-11-22 13:04:50.090758+00', '2026-11-22 13:04:44.648231+00', NULL),
	('01a2035b-e87d-7218-aae0-7878ba3cdd43', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 20, '01a2035b-e878-7f0b-8e0f-c5e41a131835', 'message.sent', 'pending', 1, 1, '2026-11-22 13:04:50.187139+00', '2026-11-22 13:04:44.669516+00', NULL),
	('01a2035b-e87d-7767-989c-b8ac42be8073', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 21, '01a2035b-e878-70ca-a3c0-4943ffd10776', 'message.sent', 'pending', 1, 1, '2026-11-22 13:04:49.908315+00', '2026-11-22 13:04:44.669516+00', NULL),
	('01a2035b-e88c-7c08-8512-2fa409bb6aec', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 22, '01a2035b-e889-79bc-bfaa-a05b6424d25a', 'message.sent', 'pending', 1, 1, '2026-11-22 13:04:49.953488+00', '2026-11-22 13:04:44.684494+00', NULL),
	('01a2035b-e8ae-78b5-9175-6f75f42b05a4', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 24, '01a2035b-e8ab-7c65-be26-2e6d9ea45d7a', 'message.failed', 'pending', 1, 1, '2026-11-22 13:04:50.001197+00', '2026-11-22 13:04:44.718374+00', NULL),
	('01a2035b-e8cb-7b0c-832f-5d5122896588', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 25, '01a2035b-e8c6-745b-a9b0-38ff603cfab5', 'message.sent', 'pending', 1, 1, '2026-11-22 13:04:50.207201+00', '2026-11-22 13:04:44.747612+00', NULL),
	('01a2035b-e8fb-7296-9af5-ef880b56a36c', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 26, '01a2035b-e8f6-79ca-a809-6588f42a078a', 'message.delivered', 'pending', 1, 1, '2026-11-22 13:04:49.977364+00', '2026-11-22 13:04:44.795583+00', NULL),
	('01a2035b-e90d-7740-8a30-55fe53a9d35a', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 27, '01a2035b-e907-7f0b-8e0f-c5e41a13183a', 'message.delivered', 'pending', 1, 1, '2026-11-22 13:04:50.143252+00', '2026-11-22 13:04:44.813823+00', NULL),
	('01a2035b-e90d-791f-a04e-fa5ca15f291a', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 28, '01a2035b-e907-70ca-a3c0-4943ffd1077f', 'message.delivered', 'pending', 1, 1, '2026-11-22 13:04:50.092684+00', '2026-11-22 13:04:44.813823+00', NULL),
	('01a2035b-e91c-7ab0-b849-95459f3a1029', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 29, '01a2035b-e919-79bc-bfaa-a05b6424d251', 'message.delivered', 'pending', 1, 1, '2026-11-22 13:04:50.30849+00', '2026-11-22 13:04:44.82827+00', NULL),
	('01a2035b-e91c-72da-bea1-af062ebca105', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 30, '01a2035b-e919-7292-82ad-70bda9cfcf8e', 'message.delivered', 'pending', 1, 1, '2026-11-22 13:04:50.372749+00', '2026-11-22 13:04:44.82827+00', NULL),
	('01a2035b-e96b-7662-856f-6ac64eaa1834', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 31, '01a2035b-e962-745b-a9b0-38ff603cfab3', 'message.delivered', 'pending', 1, 1, '2026-11-22 13:04:50.303337+00', '2026-11-22 13:04:44.907547+00', NULL),
	('01a2035b-e9cb-78fe-9750-d6b3611b7c07', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 32, '01a2035b-e9bf-79ca-a809-6588f42a07b0', 'message.read', 'pending', 1, 1, '2026-11-22 13:04:50.066891+00', '2026-11-22 13:04:45.003395+00', NULL),
	('01a2035b-e9dc-7b00-b27b-19198dde5567', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 33, '01a2035b-e9d7-7f0b-8e0f-c5e41a131800', 'message.read', 'pending', 1, 1, '2026-11-22 13:04:50.352783+00', '2026-11-22 13:04:45.020069+00', NULL),
	('01a2035b-e9dc-7c92-81b7-78c347c775a2', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 34, '01a2035b-e9d7-70ca-a3c0-4943ffd10741', 'message.read', 'pending', 1, 1, '2026-11-22 13:04:50.285875+00', '2026-11-22 13:04:45.020069+00', NULL),
	('01a2035b-e9f0-7398-9583-d31fa3befa92', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 35, '01a2035b-e9e9-79bc-bfaa-a05b6424d26f', 'message.read', 'pending', 1, 1, '2026-11-22 13:04:50.31624+00', '2026-11-22 13:04:45.040458+00', NULL),
	('01a2035b-e9f0-78b6-b41b-421ea91a06f9', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 36, '01a2035b-e9e9-7292-82ad-70bda9cfcfb4', 'message.read', 'pending', 1, 1, '2026-11-22 13:04:50.083444+00', '2026-11-22 13:04:45.040458+00', NULL),
	('01a2035b-ea2e-7747-aaff-dfe3a3c0b0d5', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 37, '01a2035b-ea25-745b-a9b0-38ff603cfa89', 'message.read', 'pending', 1, 1, '2026-11-22 13:04:50.463551+00', '2026-11-22 13:04:45.102949+00', NULL),
	('01a2035b-eabc-74c0-b627-41a94f00c18e', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 38, '01a2035b-eab9-742f-99c7-72637576dc62', 'message.received', 'pending', 1, 1, '2026-11-22 13:04:50.355511+00', '2026-11-22 13:04:45.244937+00', NULL),
	('01a2035b-ead5-78cf-9242-f7588989c289', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 39, '01a2035b-eaca-7e77-a1ab-20b1a393e676', 'message.received', 'pending', 1, 1, '2026-11-22 13:04:50.357077+00', '2026-11-22 13:04:45.269643+00', NULL),
	('01a2035b-eaee-7d03-b54f-36de80509929', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 40, '01a2035b-ead3-7324-b859-591cef86b7e7', 'message.received', 'pending', 1, 1, '2026-11-22 13:04:50.629366+00', '2026-11-22 13:04:45.294937+00', NULL),
	('01a2035b-eb0f-7dd0-a121-53597b7c77bc', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 41, '01a2035b-eaf3-79eb-b207-5af23b6955b6', 'message.received', 'pending', 1, 1, '2026-11-22 13:04:50.603651+00', '2026-11-22 13:04:45.327265+00', NULL),
	('01a2035b-eb1f-77b0-bdec-302115d79422', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 42, '01a2035b-eb0c-7042-8837-b765529fae10', 'message.received', 'pending', 1, 1, '2026-11-22 13:04:50.713838+00', '2026-11-22 13:04:45.343787+00', NULL),
	('01a2035b-eb3c-76df-bb29-16cbda7194b8', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 43, '01a2035b-eb22-74aa-b1d9-05e5c21d4424', 'message.received', 'pending', 1, 1, '2026-11-22 13:04:50.868867+00', '2026-11-22 13:04:45.372521+00', NULL),
	('01a2035b-e3de-7ce3-9513-1f544540766c', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 2, '01a2035b-e3a3-7226-bf1b-f5d0751b2175', 'template.submitted', 'pending', 2, 2, '2026-11-22 13:10:00.982056+00', '2026-11-22 13:04:43.486556+00', NULL),
	('01a2035b-e3de-7f82-a2ea-716dc7cfaf2f', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 3, '01a2035b-e3b8-7704-a796-558815b00f77', 'template.submitted', 'pending', 2, 2, '2026-11-22 13:09:56.048832+00', '2026-11-22 13:04:43.486556+00', NULL),
	('01a2035b-e3de-75cc-9d29-50bf625bba88', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 1, '01a2035b-e391-7bb9-b445-c2ef2e0de753', 'connection.created', 'pending', 2, 2, '2026-11-22 13:09:49.98307+00', '2026-11-22 13:04:43.486556+00', NULL),
	('01a2035b-e798-7792-a771-2a2959c6b1a0', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 4, '01a2035b-e78c-7226-bf1b-f5d0751b2173', 'template.approved', 'pending', 2, 2, '2026-11-22 13:10:09.515339+00', '2026-11-22 13:04:44.440894+00', NULL),
	('01a2035b-e7f3-7a89-b1e2-29cad94b32dd', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 9, '01a2035b-e7ea-712f-98d5-1c73277a7581', 'conversation.agent_paused', 'pending', 2, 2, '2026-11-22 13:09:54.012549+00', '2026-11-22 13:04:44.531985+00', NULL),
	('01a2035b-e81a-7424-b26e-840e68d00b5f', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 13, '01a2035b-e80d-7292-82ad-70bda9cfcf9d', 'message.queued', 'pending', 2, 2, '2026-11-22 13:09:54.023462+00', '2026-11-22 13:04:44.57057+00', NULL),
	('01a2035b-e831-7288-bd27-600cc459cb9b', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 16, '01a2035b-e814-7c65-be26-2e6d9ea45d72', 'message.queued', 'pending', 2, 2, '2026-11-22 13:10:15.096536+00', '2026-11-22 13:04:44.59389+00', NULL),
	('01a2035b-e7f3-79f7-a145-a4ce4c9d3d83', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 7, '01a2035b-e7ea-712f-98d5-1c73277a758f', 'conversation.created', 'pending', 2, 2, '2026-11-22 13:10:13.107682+00', '2026-11-22 13:04:44.531985+00', NULL),
	('01a2035b-e806-7e25-b81d-e211b0630f09', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 11, '01a2035b-e7fd-70ca-a3c0-4943ffd10768', 'message.queued', 'pending', 2, 2, '2026-11-22 13:09:54.779003+00', '2026-11-22 13:04:44.550846+00', NULL),
	('01a2035b-e806-70b2-a4e5-ce7f5ef451ec', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 10, '01a2035b-e7f4-7f0b-8e0f-c5e41a13182b', 'message.queued', 'pending', 2, 2, '2026-11-22 13:10:01.475511+00', '2026-11-22 13:04:44.550846+00', NULL),
	('01a2035b-e845-775b-a48e-fe2c4938194b', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 18, '01a2035b-e836-745b-a9b0-38ff603cfabe', 'message.queued', 'pending', 2, 2, '2026-11-22 13:09:52.2358+00', '2026-11-22 13:04:44.613716+00', NULL),
	('01a2035b-e88c-704e-a54f-b6dc1001b4ed', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 23, '01a2035b-e889-7292-82ad-70bda9cfcf87', 'message.sent', 'pending', 2, 2, '2026-11-22 13:10:10.82042+00', '2026-11-22 13:04:44.684494+00', NULL),
	('01a2035c-016b-721c-871c-ad5a2a2e43a8', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 44, '01a2035c-0157-7d34-b68f-5fa3a57f5b6d', 'contact.created', 'pending', 0, 0, '2026-11-22 13:04:51.051748+00', '2026-11-22 13:04:51.051748+00', NULL),
	('01a2035c-016b-700d-b233-630ebe4f36bc', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 45, '01a2035c-0157-7a35-8fc6-6271b2fc05db', 'conversation.created', 'pending', 0, 0, '2026-11-22 13:04:51.051748+00', '2026-11-22 13:04:51.051748+00', NULL),
	('01a2035c-016b-7cf8-80b7-a48ff2e91f16', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 46, '01a2035c-0157-73ed-8c12-7b53f6e4fe80', 'message.queued', 'pending', 0, 0, '2026-11-22 13:04:51.051748+00', '2026-11-22 13:04:51.051748+00', NULL),
	('01a2035c-016b-7006-a043-1ca63614a795', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 47, '01a2035c-0157-7a35-8fc6-6271b2fc05d9', 'conversation.agent_paused', 'pending', 0, 0, '2026-11-22 13:04:51.051748+00', '2026-11-22 13:04:51.051748+00', NULL),
	('01a2035b-e7a9-7fa0-8779-d5ca9e8aa572', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 5, '01a2035b-e7a2-7704-a796-558815b00f71', 'template.rejected', 'pending', 2, 2, '2026-11-22 13:09:51.949069+00', '2026-11-22 13:04:44.457974+00', NULL),
	('01a2035c-018d-79c2-a0d5-04c608e969ed', '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', 48, '01a2035c-0178-74e7-b95c-34bffb8cbe50', 'message.queued', 'pending', 0, 0, '2026-11-22 13:04:51.085189+00', '2026-11-22 13:04:51.085189+00', NULL);



INSERT INTO public.webhook_endpoints VALUES
	('01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', NULL, 'http://127.83.1.2:18499/hooks', NULL, '*', 'enabled', NULL, NULL, '\x33e4594a4192f61852862339596da8c15f66dedc7188b3671da166bf9facefb88c99ce8621a3241f1898308c02b330689e24cedc2c60e4725cddbee170577aec0008748a3d91e414e1bb1a15327d', NULL, NULL, '2026-11-22 13:04:43.495168+00', '2026-11-22 13:04:51.071534+00', '2026-11-22 13:05:21.088384+00', '2026-11-22 13:04:43.354594+00');



INSERT INTO public.webhook_feeds OVERRIDING SYSTEM VALUE VALUES
	(1, '01a2035b-e35a-7cba-9b00-146b69d1a393', '01a2035b-e250-7e04-a2a6-22bc9d2aedcd', NULL, 0, NULL, 48, false);



SELECT pg_catalog.setval('public.webhook_feeds_id_seq', 1, true);



ALTER TABLE ONLY public.__diesel_schema_migrations
    ADD CONSTRAINT __diesel_schema_migrations_pkey PRIMARY KEY (version);



ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_organization_id_phone_number_key UNIQUE (organization_id, phone_number);



ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_client_id_key UNIQUE (client_id);



ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.callbacks
    ADD CONSTRAINT callbacks_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.codes
    ADD CONSTRAINT codes_pkey PRIMARY KEY (digest);



ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_contact_id_key UNIQUE (contact_id);



ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_organization_id_phone_number_account_id_key UNIQUE (organization_id, phone_number, account_id);



ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.event_counters
    ADD CONSTRAINT event_counters_pkey PRIMARY KEY (organization_id);



ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_id_key UNIQUE (id);



ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (organization_id, sequence);



ALTER TABLE ONLY public.fetches
    ADD CONSTRAINT fetches_pkey PRIMARY KEY (message_id);



ALTER TABLE ONLY public.handshakes
    ADD CONSTRAINT handshakes_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (key_id, path, idempotency_key);



ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_client_id_key UNIQUE (client_id);



ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_email_key UNIQUE (email);



ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (member_id, organization_id);



ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (conversation_id, "position");



ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_name_key UNIQUE (name);



ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (digest);



ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_organization_id_name_language_key UNIQUE (organization_id, name, language);



ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.usage
    ADD CONSTRAINT usage_pkey PRIMARY KEY (organization_id, meter, period);



ALTER TABLE ONLY public.verdicts
    ADD CONSTRAINT verdicts_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, number);



ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.webhook_feeds
    ADD CONSTRAINT webhook_feeds_pkey PRIMARY KEY (id);



CREATE INDEX accounts_of_business ON public.accounts USING btree (waba_id) WHERE (waba_id IS NOT NULL);



CREATE UNIQUE INDEX accounts_on_channel ON public.accounts USING btree (phone_number_id) WHERE (phone_number_id IS NOT NULL);



CREATE INDEX applications_of_organization ON public.applications USING btree (organization_id);



CREATE INDEX callbacks_due ON public.callbacks USING btree (due_at, id);



CREATE INDEX codes_by_age ON public.codes USING btree (issued_at);



CREATE UNIQUE INDEX connections_alive ON public.connections USING btree (application_id, organization_id) WHERE (state = 'connected'::text);



CREATE UNIQUE INDEX connections_by_key ON public.connections USING btree (key_id);



CREATE INDEX connections_of_organization ON public.connections USING btree (organization_id, connected_at);



CREATE INDEX consents_by_age ON public.consents USING btree (created_at);



CREATE INDEX conversations_due ON public.conversations USING btree (outbox_due_at) WHERE (outbox_due_at IS NOT NULL);



CREATE INDEX events_by_age ON public.events USING btree (at);



CREATE INDEX fetches_due ON public.fetches USING btree (due_at);



CREATE INDEX handshakes_by_age ON public.handshakes USING btree (at);



CREATE INDEX handshakes_of_application ON public.handshakes USING btree (application_id, at);



CREATE INDEX idempotency_by_age ON public.idempotency USING btree (created_at);



CREATE INDEX keys_of_organization ON public.keys USING btree (organization_id);



CREATE INDEX media_arriving ON public.media USING btree (created_at) WHERE (state = 'arriving'::text);



CREATE INDEX messages_of_conversation ON public.messages USING btree (conversation_id, created_at, "position");



CREATE UNIQUE INDEX messages_on_channel ON public.messages USING btree (account_id, channel_message_id) WHERE (channel_message_id IS NOT NULL);



CREATE INDEX sessions_by_age ON public.sessions USING btree (seen_at);



CREATE INDEX templates_of_organization ON public.templates USING btree (organization_id, created_at, id);



CREATE INDEX templates_to_submit ON public.templates USING btree (submission_due_at) WHERE (submission_due_at IS NOT NULL);



CREATE INDEX templates_with_reviewer ON public.templates USING btree (external_id) WHERE (external_id IS NOT NULL);



CREATE INDEX verdicts_of_template ON public.verdicts USING btree (template_id, received_at);



CREATE INDEX webhook_deliveries_by_age ON public.webhook_deliveries USING btree (created_at);



CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (endpoint_id, due_at) WHERE (state = 'pending'::text);



CREATE INDEX webhook_deliveries_newest ON public.webhook_deliveries USING btree (endpoint_id, created_at, id);



CREATE UNIQUE INDEX webhook_deliveries_once ON public.webhook_deliveries USING btree (endpoint_id, organization_id, sequence);



CREATE INDEX webhook_endpoints_due ON public.webhook_endpoints USING btree (due_at) WHERE (state = 'enabled'::text);



CREATE INDEX webhook_endpoints_of_application ON public.webhook_endpoints USING btree (application_id);



CREATE INDEX webhook_endpoints_of_organization ON public.webhook_endpoints USING btree (organization_id);



CREATE INDEX webhook_feeds_of_connection ON public.webhook_feeds USING btree (connection_id);



CREATE INDEX webhook_feeds_of_endpoint ON public.webhook_feeds USING btree (endpoint_id);



CREATE INDEX webhook_feeds_of_organization ON public.webhook_feeds USING btree (organization_id, "position");



ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



ALTER TABLE ONLY public.codes
    ADD CONSTRAINT codes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);



ALTER TABLE ONLY public.codes
    ADD CONSTRAINT codes_application_id_fkey FOREIGN KEY (application_id) REFERENCES public.applications(id);



ALTER TABLE ONLY public.codes
    ADD CONSTRAINT codes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);



ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_application_id_fkey FOREIGN KEY (application_id) REFERENCES public.applications(id);



ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_application_id_fkey FOREIGN KEY (application_id) REFERENCES public.applications(id);



ALTER TABLE ONLY public.handshakes
    ADD CONSTRAINT handshakes_application_id_fkey FOREIGN KEY (application_id) REFERENCES public.applications(id);



ALTER TABLE ONLY public.handshakes
    ADD CONSTRAINT handshakes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);



ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_member_id_fkey FOREIGN KEY (member_id) REFERENCES public.members(id);



ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_default_account_id_fkey FOREIGN KEY (default_account_id) REFERENCES public.accounts(id);



ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES public.plans(id);



ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_member_id_fkey FOREIGN KEY (member_id) REFERENCES public.members(id);



ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);



ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



ALTER TABLE ONLY public.verdicts
    ADD CONSTRAINT verdicts_template_id_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id);



ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries(id) ON DELETE CASCADE;



ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.webhook_endpoints(id) ON DELETE CASCADE;



ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_application_id_fkey FOREIGN KEY (application_id) REFERENCES public.applications(id);



ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



ALTER TABLE ONLY public.webhook_feeds
    ADD CONSTRAINT webhook_feeds_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES public.connections(id);



ALTER TABLE ONLY public.webhook_feeds
    ADD CONSTRAINT webhook_feeds_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.webhook_endpoints(id) ON DELETE CASCADE;



ALTER TABLE ONLY public.webhook_feeds
    ADD CONSTRAINT webhook_feeds_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);




