






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
    access_token bytea,
    health text DEFAULT 'ok'::text NOT NULL,
    health_reason text,
    health_message text,
    health_since timestamp with time zone,
    quality text,
    messaging_limit text,
    probe_due_at timestamp with time zone,
    probe_conversation uuid,
    restriction text,
    restriction_message text,
    restricted_at timestamp with time zone,
    restricted_until timestamp with time zone,
    held_by_status boolean DEFAULT false NOT NULL,
    pace integer,
    paced_at timestamp with time zone
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
    payload text NOT NULL,
    attempts integer NOT NULL,
    due_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone NOT NULL,
    lookups integer DEFAULT 0 NOT NULL,
    claimed_by uuid
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
    phone_number text,
    created_at timestamp with time zone NOT NULL,
    channel_user_id text,
    channel_parent_user_id text,
    username text,
    name text,
    identified_at timestamp with time zone,
    opted_out_at timestamp with time zone,
    preference_at timestamp with time zone
);



CREATE TABLE public.conversations (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    account_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    phone_number text,
    agent_paused boolean NOT NULL,
    message_count bigint NOT NULL,
    last_message_at timestamp with time zone NOT NULL,
    last_inbound_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    outbox_due_at timestamp with time zone,
    outbox_claimed_until timestamp with time zone,
    agent_paused_by uuid,
    outbox_claimed_by uuid,
    outbox_claim bigint,
    merged_into uuid,
    has_merged boolean DEFAULT false NOT NULL,
    outbox_held boolean DEFAULT false NOT NULL
);



CREATE TABLE public.dead_callbacks (
    id uuid NOT NULL,
    digest bytea NOT NULL,
    channel text NOT NULL,
    kind text NOT NULL,
    reason text NOT NULL,
    detail text NOT NULL,
    payload text NOT NULL,
    attempts integer NOT NULL,
    received_at timestamp with time zone NOT NULL,
    kept_at timestamp with time zone NOT NULL
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
    received_at timestamp with time zone NOT NULL,
    claimed_by uuid
);



CREATE TABLE public.form_results (
    organization_id uuid NOT NULL,
    session_digest bytea NOT NULL,
    id text NOT NULL,
    location text,
    notice bytea,
    created_at timestamp with time zone NOT NULL
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



CREATE TABLE public.instances (
    id uuid NOT NULL,
    beat bigint NOT NULL
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
    read_at timestamp with time zone,
    content_format integer DEFAULT 1 NOT NULL,
    context json,
    changes json
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



CREATE TABLE public.password_resets (
    member_id uuid NOT NULL,
    digest bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);



CREATE TABLE public.plans (
    id uuid NOT NULL,
    name text NOT NULL,
    api_access boolean NOT NULL,
    api_calls_per_day integer,
    messages_per_month integer,
    created_at timestamp with time zone NOT NULL
);



CREATE TABLE public.server_keys (
    name text NOT NULL,
    key bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);



CREATE TABLE public.sessions (
    digest bytea NOT NULL,
    member_id uuid,
    organization_id uuid,
    created_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    anonymous_digest bytea
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
    submission_attempts integer DEFAULT 0 NOT NULL,
    submission_claimed_by uuid,
    message_send_ttl_seconds integer,
    quality text
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
    claimed_by uuid,
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



CREATE TABLE public.write_checks (
    id integer NOT NULL,
    at timestamp with time zone NOT NULL
);



INSERT INTO public.__diesel_schema_migrations VALUES
	('20261121000000', '2026-11-23 05:44:15.615312'),
	('20261121160000', '2026-11-23 05:44:15.646589'),
	('20261121170000', '2026-11-23 05:44:15.657391'),
	('20261121184332', '2026-11-23 05:44:15.675235'),
	('20261121184535', '2026-11-23 05:44:15.679688'),
	('20261122083000', '2026-11-23 05:44:15.694159'),
	('20261122084255', '2026-11-23 05:44:15.697573'),
	('20261122084500', '2026-11-23 05:44:15.704829'),
	('20261122084700', '2026-11-23 05:44:15.706324'),
	('20261122092500', '2026-11-23 05:44:15.709367'),
	('20261122093000', '2026-11-23 05:44:15.71322'),
	('20261122100000', '2026-11-23 05:44:15.714905'),
	('20261122113131', '2026-11-23 05:44:15.716563'),
	('20261122115826', '2026-11-23 05:44:15.718021'),
	('20261122155000', '2026-11-23 05:44:15.718612'),
	('20261122190000', '2026-11-23 05:44:15.719141'),
	('20261122193500', '2026-11-23 05:44:15.719605'),
	('20261122221000', '2026-11-23 05:44:15.724864'),
	('20261123011756', '2026-11-23 05:44:15.725862'),
	('20261123012000', '2026-11-23 05:44:15.726871');



INSERT INTO public.accounts VALUES
	('01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '+12025550190', 'Acme', 'sandbox', '2026-11-23 05:44:15.949427+00', NULL, NULL, NULL, 'ok', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL),
	('01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '+12025550195', 'Cloud', 'cloud_api', '2026-11-23 05:44:23.978881+00', '106540352242922', '102290129340398', '\x86fda701054e3c4678d2a7e4fdddddfed47051d671a5e05c2b0b5c4d1cbfbc7ea459673f1ea054cbb62b68', 'ok', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL),
	('01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '+12025550196', 'Inbox', 'cloud_api', '2026-11-23 05:44:24.091018+00', '106540352242923', '102290129340398', '\x6151cd2f87d8ac951e9e2e7e7c60a6acadd113a1bb20c7d49db3c9a181c346940f9ebb3882293f23d2652f', 'ok', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL),
	('01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '+12025550197', 'Held', 'cloud_api', '2026-11-23 05:44:24.188268+00', '106540352242924', '102290129340398', '\xc558e377066ae2b21566bf35d8ee2d26bc3f4e19cc38d0523e8b44f713534943e276c1357e5bb45f', 'held', 'token_refused', 'Error validating access token: the session has been invalidated. (190)', '2026-11-23 05:44:25.936266+00', NULL, NULL, '2026-11-23 05:45:25.936266+00', '01a206ef-263c-724a-97b9-a9f653740b52', NULL, NULL, NULL, NULL, false, NULL, NULL),
	('01a206ef-1fe6-7d90-b10b-5ebc8ad9ff07', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '+12025550198', 'Restricted', 'cloud_api', '2026-11-23 05:44:24.294749+00', '106540352242925', '102290129340399', '\xac27bd038093db1db96d64e59d4f93b7e41038cde0ddf39912ad7ec30a2731ce95ff5b66446dc5c2ad0954', 'ok', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'account_restricted', 'Meta has restricted the account: RESTRICTED_ADD_PHONE_NUMBER_ACTION.', '2026-11-23 05:44:26.020406+00', NULL, false, NULL, NULL);



INSERT INTO public.applications VALUES
	('01a206ef-009d-786a-8da1-886b37d57a0b', 'swa_28c5MiJE1W2me9xT6D8MqX', '\xa51e90957546fc9305a591adc6ed8255ce7ca316563fbd0167532465096c6553', 'Partner CRM', NULL, NULL, '["https://partner.example/callback"]', 'messages.send conversations.read', '01a206ee-ff1b-79d3-95a6-922abb4069c4', false, false, '2026-11-23 05:44:16.285461+00', NULL);






INSERT INTO public.codes VALUES
	('\x0a1789e3cfc45e0fe8b244cafbb607dcba49472723b11e2363984522dfbdbe8d', '01a206ef-009d-786a-8da1-886b37d57a0b', 'https://partner.example/callback', 'XSbhc0RDIOh3l4AgLDiSPfoKGgzMfGIePQI_Tw3kBa8', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', 'messages.send conversations.read', '2026-11-23 05:44:16.368354+00', '2026-11-23 05:44:16.371674+00');



INSERT INTO public.connections VALUES
	('01a206ef-00f5-7fba-baba-af8264c88c42', '01a206ef-009d-786a-8da1-886b37d57a0b', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-00f5-732f-ab27-059b7613aaa9', 'messages.send conversations.read', 'connected', NULL, NULL, '2026-11-23 05:44:16.3736+00', NULL);



INSERT INTO public.consents VALUES
	('01a206ef-00dd-7416-9a27-cbf940396d42', '\x0bcf2435dacf65915473b9ae360c9f9a5c6542cba881de2011ddc5144eac62d0', '01a206ef-009d-786a-8da1-886b37d57a0b', 'https://partner.example/callback', 'messages.send conversations.read', '\x6b657074', 'XSbhc0RDIOh3l4AgLDiSPfoKGgzMfGIePQI_Tw3kBa8', NULL, false, '2026-11-23 05:44:16.349271+00', '2026-11-23 05:44:16.368389+00');



INSERT INTO public.contacts VALUES
	('01a206ef-053b-7564-b618-6a0dd10fdb06', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '+12025550100', '2026-11-23 05:44:17.467926+00', NULL, NULL, NULL, NULL, '2026-11-23 05:44:17.467926+00', NULL, NULL),
	('01a206ef-0595-7ad7-abf3-b199e75a51fc', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '+12025550103', '2026-11-23 05:44:17.557853+00', NULL, NULL, NULL, NULL, '2026-11-23 05:44:17.557853+00', NULL, NULL),
	('01a206ef-20b3-7f47-9fbf-661d163bdf39', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '+12025550160', '2026-11-23 05:44:24.499203+00', NULL, NULL, NULL, 'Sheena Nelson', '2026-11-23 05:44:24.499203+00', NULL, NULL),
	('01a206ee-6b0f-7191-83fc-080172a27c06', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', NULL, '2026-11-23 05:43:37.999+00', 'US.13491208655302741918', NULL, 'realjessica', 'Sheena Nelson', '2026-11-23 05:43:37.999+00', NULL, NULL),
	('01a206ee-72df-7818-9e5b-0b995612345d', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', NULL, '2026-11-23 05:43:39.999+00', NULL, NULL, NULL, 'Sheena Nelson', '2026-11-23 05:43:39.999+00', NULL, NULL),
	('01a206ee-6ef7-7ffd-a9ce-2b073b51ed07', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '+12025550161', '2026-11-23 05:43:38.999+00', 'US.2', NULL, NULL, 'Sheena Nelson', '2026-11-23 05:43:40.999+00', NULL, NULL),
	('01a206ee-7aaf-73ea-9ddd-5067bfd56df0', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '+12025550162', '2026-11-23 05:43:41.999+00', NULL, NULL, NULL, 'Sheena Nelson', '2026-11-23 05:43:41.999+00', '2026-11-23 05:43:41+00', '2026-11-23 05:43:41+00'),
	('01a206ef-263c-7041-af9f-16d03432d4ad', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f7c-7834-8147-c9e177dcb670', '+12025550163', '2026-11-23 05:44:25.916166+00', NULL, NULL, NULL, NULL, '2026-11-23 05:44:25.916166+00', NULL, NULL),
	('01a206ef-265c-736b-b24a-77c5f203f61c', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f7c-7834-8147-c9e177dcb670', '+12025550164', '2026-11-23 05:44:25.948175+00', NULL, NULL, NULL, NULL, '2026-11-23 05:44:25.948175+00', NULL, NULL),
	('01a206ef-2c98-7b23-a48d-1f54a97b06d9', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '+12025550155', '2026-11-23 05:44:27.54443+00', NULL, NULL, NULL, NULL, '2026-11-23 05:44:27.54443+00', NULL, NULL);



INSERT INTO public.conversations VALUES
	('01a206ee-7aaf-734f-82d2-765557fb67c2', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-7aaf-73ea-9ddd-5067bfd56df0', '+12025550162', false, 1, '2026-11-23 05:43:41.999+00', '2026-11-23 05:43:41.999+00', '2026-11-23 05:43:41.999+00', NULL, NULL, NULL, NULL, NULL, NULL, false, false),
	('01a206ef-263c-724a-97b9-a9f653740b52', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-263c-7041-af9f-16d03432d4ad', '+12025550163', true, 2, '2026-11-23 05:44:25.928694+00', NULL, '2026-11-23 05:44:25.916166+00', '2026-11-23 05:45:25.936266+00', NULL, '01a206ef-263c-7205-ab67-d671eb0b05e0', NULL, NULL, NULL, false, true),
	('01a206ef-0595-7736-b4cf-35add201b073', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0595-7ad7-abf3-b199e75a51fc', '+12025550103', true, 1, '2026-11-23 05:44:17.557853+00', NULL, '2026-11-23 05:44:17.557853+00', NULL, NULL, '01a206ef-0595-7a3e-8b92-efb8a173bbe2', NULL, NULL, NULL, false, false),
	('01a206ef-265c-7f80-aea3-7c3ee4366afb', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-265c-736b-b24a-77c5f203f61c', '+12025550164', true, 2, '2026-11-23 05:44:25.972581+00', NULL, '2026-11-23 05:44:25.948175+00', '2026-11-24 05:44:25.948175+00', NULL, '01a206ef-265c-745e-bde9-b6d514f559ec', NULL, NULL, NULL, false, true),
	('01a206ef-2c98-7a5a-81b3-f7a3d58eb31b', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '01a206ef-2c98-7b23-a48d-1f54a97b06d9', '+12025550155', true, 3, '2026-11-23 05:44:27.587005+00', NULL, '2026-11-23 05:44:27.54443+00', '2026-11-23 05:44:27.99008+00', NULL, '01a206ef-2c98-7706-bcb8-9e11e108bf26', NULL, NULL, NULL, false, false),
	('01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-7564-b618-6a0dd10fdb06', '+12025550100', true, 12, '2026-11-23 05:44:18.320616+00', '2026-11-23 05:44:18.320616+00', '2026-11-23 05:44:17.467926+00', NULL, NULL, '01a206ef-053b-74bb-9a77-0ef953a0921c', NULL, NULL, NULL, false, false),
	('01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7f47-9fbf-661d163bdf39', '+12025550160', true, 12, '2026-11-23 05:43:36.999+00', '2026-11-23 05:43:35.999+00', '2026-11-23 05:44:24.499203+00', NULL, NULL, '01a206ef-20b3-736f-b8fb-65aef9baa9a4', NULL, NULL, NULL, false, false),
	('01a206ee-6b0f-7023-8414-70f480e9f5be', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6b0f-7191-83fc-080172a27c06', 'US.13491208655302741918', false, 1, '2026-11-23 05:43:37.999+00', '2026-11-23 05:43:37.999+00', '2026-11-23 05:43:37.999+00', NULL, NULL, NULL, NULL, NULL, NULL, false, false),
	('01a206ee-72df-725d-8e58-434a272fb2c6', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-72df-7818-9e5b-0b995612345d', NULL, false, 0, '2026-11-23 05:43:39.999+00', '2026-11-23 05:43:39.999+00', '2026-11-23 05:43:39.999+00', NULL, NULL, NULL, NULL, NULL, '01a206ee-6ef7-702f-b16d-335f2ab59091', false, false),
	('01a206ee-6ef7-702f-b16d-335f2ab59091', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6ef7-7ffd-a9ce-2b073b51ed07', '+12025550161', false, 3, '2026-11-23 05:43:40.999+00', '2026-11-23 05:43:40.999+00', '2026-11-23 05:43:38.999+00', NULL, NULL, NULL, NULL, NULL, NULL, true, false);



INSERT INTO public.dead_callbacks VALUES
	('01a206ef-2716-710a-8e8b-3ada53384ab5', '\xeb3214bfa68d9c5fc08e05f99d17737ae42bf3b7c9208f37f70f3c4eee084b66', 'cloud_api', 'message', 'unreadable', 'the edit names no message', '{"object":"whatsapp_business_account","entry":[{"id":"102290129340398","time":1795412622,"changes":[{"field":"messages","value":{"messaging_product":"whatsapp","metadata":{"display_phone_number": "12025550196", "phone_number_id": "106540352242923"},"contacts":[{"wa_id": "12025550160", "profile": {"name": "Sheena Nelson"}}],"messages":[{"id": "wamid.P19", "timestamp": "1795412622", "type": "edit", "from": "12025550160"}]}}]}]}', 1, '2026-11-23 05:44:26.130594+00', '2026-11-23 05:44:26.134035+00');



INSERT INTO public.event_counters VALUES
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 101);



INSERT INTO public.events VALUES
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 1, '01a206ef-00f5-7fba-baba-af8264c88c43', 'connection.created', '01a206ee-ff4d-7acf-8c61-567cc39ac709', NULL, '01a206ef-00f5-7fba-baba-af8264c88c42', NULL, '{"id":"conn_01m83ey07nfyxbnenfg9jch322","application":{"client_id":"swa_28c5MiJE1W2me9xT6D8MqX","name":"Partner CRM"},"client_id":"swk_6QckulW4qGXGLPVp2iENUC","account_id":"acc_01m83exztdfb7rrrapfk1snhr9","scopes":["messages.send","conversations.read"],"connected_at":"2026-11-23T05:44:16.373Z"}', '2026-11-23 05:44:16.3736+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 2, '01a206ef-010a-7ff4-acdf-0b82d9ff0ee8', 'template.submitted', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0103-7ff4-acdf-0b82d9ff0eea', NULL, NULL, '{"id":"tpl_01m83ey083fztasqrbgbczy3qa","name":"order_update","language":"en","category":"utility","status":"pending","rejection_reason":null,"rejection_detail":null,"parameter_format":"positional","components":[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}],"message_send_ttl_seconds":null,"quality":null,"account_id":"acc_01m83exztdfb7rrrapfk1snhr9","external_id":"12456687750961106666","submitted_at":"2026-11-23T05:44:16.394Z","reviewed_at":null,"created_at":"2026-11-23T05:44:16.387Z","updated_at":"2026-11-23T05:44:16.394Z"}', '2026-11-23 05:44:16.394864+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 3, '01a206ef-0123-729d-a4b6-082b8041837a', 'template.submitted', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-010b-729d-a4b6-082b80418379', NULL, NULL, '{"id":"tpl_01m83ey08beaet9dg85e0430vs","name":"order_update_rejected_scam","language":"en","category":"utility","status":"pending","rejection_reason":null,"rejection_detail":null,"parameter_format":"positional","components":[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}],"message_send_ttl_seconds":null,"quality":null,"account_id":"acc_01m83exztdfb7rrrapfk1snhr9","external_id":"11868682850909913977","submitted_at":"2026-11-23T05:44:16.419Z","reviewed_at":null,"created_at":"2026-11-23T05:44:16.395Z","updated_at":"2026-11-23T05:44:16.419Z"}', '2026-11-23 05:44:16.419859+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 4, '01a206ef-04f4-7ff4-acdf-0b82d9ff0eee', 'template.approved', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0103-7ff4-acdf-0b82d9ff0eea', NULL, NULL, '{"id":"tpl_01m83ey083fztasqrbgbczy3qa","name":"order_update","language":"en","category":"utility","status":"approved","rejection_reason":null,"rejection_detail":null,"parameter_format":"positional","components":[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}],"message_send_ttl_seconds":null,"quality":null,"account_id":"acc_01m83exztdfb7rrrapfk1snhr9","external_id":"12456687750961106666","submitted_at":"2026-11-23T05:44:16.394Z","reviewed_at":"2026-11-23T05:44:17.396Z","created_at":"2026-11-23T05:44:16.387Z","updated_at":"2026-11-23T05:44:17.396Z"}', '2026-11-23 05:44:17.396665+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 5, '01a206ef-0513-729d-a4b6-082b8041837c', 'template.rejected', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-010b-729d-a4b6-082b80418379', NULL, NULL, '{"id":"tpl_01m83ey08beaet9dg85e0430vs","name":"order_update_rejected_scam","language":"en","category":"utility","status":"rejected","rejection_reason":"scam","rejection_detail":"The sandbox''s reviewer rejects a name that ends in _rejected_scam.","parameter_format":"positional","components":[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}],"message_send_ttl_seconds":null,"quality":null,"account_id":"acc_01m83exztdfb7rrrapfk1snhr9","external_id":"11868682850909913977","submitted_at":"2026-11-23T05:44:16.419Z","reviewed_at":"2026-11-23T05:44:17.427Z","created_at":"2026-11-23T05:44:16.395Z","updated_at":"2026-11-23T05:44:17.427Z"}', '2026-11-23 05:44:17.42749+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 6, '01a206ef-053b-7564-b618-6a0dd10fdb00', 'contact.created', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-7564-b618-6a0dd10fdb06', NULL, NULL, '{"id":"ctc_01m83ey19venjbc63a1q8gzpr6","account_id":"acc_01m83exztdfb7rrrapfk1snhr9","phone_number":"+12025550100","channel_user_id":null,"channel_parent_user_id":null,"username":null,"name":null,"opted_out_at":null,"created_at":"2026-11-23T05:44:17.467Z"}', '2026-11-23 05:44:17.467926+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 7, '01a206ef-053b-79c9-9be8-3934d4c93922', 'conversation.created', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', NULL, NULL, NULL, '2026-11-23 05:44:17.467926+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 8, '01a206ef-053b-74bb-9a77-0ef953a09214', 'message.queued', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-74bb-9a77-0ef953a0921c', NULL, NULL, NULL, '2026-11-23 05:44:17.467926+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 9, '01a206ef-053b-79c9-9be8-3934d4c9392c', 'conversation.agent_paused', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', NULL, NULL, NULL, '2026-11-23 05:44:17.467926+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 10, '01a206ef-054b-74d7-ae0b-b439640cf73e', 'message.queued', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-054b-74d7-ae0b-b439640cf734', NULL, NULL, NULL, '2026-11-23 05:44:17.483185+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 11, '01a206ef-0560-7399-bdc6-33b0a800138d', 'message.queued', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0560-7399-bdc6-33b0a8001386', NULL, NULL, NULL, '2026-11-23 05:44:17.504407+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 12, '01a206ef-056f-7975-8c35-20ce82b898f0', 'message.queued', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-056f-7975-8c35-20ce82b898fc', NULL, NULL, NULL, '2026-11-23 05:44:17.519105+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 13, '01a206ef-0586-723c-9939-b618406abb51', 'message.queued', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0586-723c-9939-b618406abb5c', NULL, NULL, NULL, '2026-11-23 05:44:17.542841+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 14, '01a206ef-0595-7ad7-abf3-b199e75a51f2', 'contact.created', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0595-7ad7-abf3-b199e75a51fc', NULL, NULL, '{"id":"ctc_01m83ey1cnfbbtqwxhk7knmmfw","account_id":"acc_01m83exztdfb7rrrapfk1snhr9","phone_number":"+12025550103","channel_user_id":null,"channel_parent_user_id":null,"username":null,"name":null,"opted_out_at":null,"created_at":"2026-11-23T05:44:17.557Z"}', '2026-11-23 05:44:17.557853+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 15, '01a206ef-0595-7736-b4cf-35add201b07c', 'conversation.created', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0595-7736-b4cf-35add201b073', NULL, NULL, NULL, '2026-11-23 05:44:17.557853+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 16, '01a206ef-0595-7a3e-8b92-efb8a173bbf2', 'message.queued', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0595-7a3e-8b92-efb8a173bbe2', NULL, NULL, NULL, '2026-11-23 05:44:17.557853+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 17, '01a206ef-0595-7736-b4cf-35add201b062', 'conversation.agent_paused', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0595-7736-b4cf-35add201b073', NULL, NULL, NULL, '2026-11-23 05:44:17.557853+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 18, '01a206ef-05b0-7a17-9643-edf761057f5c', 'message.queued', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-05b0-7a17-9643-edf761057f4e', NULL, NULL, NULL, '2026-11-23 05:44:17.584842+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 19, '01a206ef-05c1-74bb-9a77-0ef953a0920f', 'message.sent', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-74bb-9a77-0ef953a0921c', NULL, NULL, NULL, '2026-11-23 05:44:17.60141+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 20, '01a206ef-05f0-74d7-ae0b-b439640cf720', 'message.sent', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-054b-74d7-ae0b-b439640cf734', NULL, NULL, NULL, '2026-11-23 05:44:17.648902+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 21, '01a206ef-05f0-7399-bdc6-33b0a8001393', 'message.sent', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0560-7399-bdc6-33b0a8001386', NULL, NULL, NULL, '2026-11-23 05:44:17.648902+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 22, '01a206ef-060d-7975-8c35-20ce82b898ea', 'message.sent', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-056f-7975-8c35-20ce82b898fc', NULL, NULL, NULL, '2026-11-23 05:44:17.677193+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 23, '01a206ef-060d-723c-9939-b618406abb4b', 'message.sent', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0586-723c-9939-b618406abb5c', NULL, NULL, NULL, '2026-11-23 05:44:17.677193+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 24, '01a206ef-0621-7a3e-8b92-efb8a173bbfa', 'message.failed', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0595-7a3e-8b92-efb8a173bbe2', NULL, NULL, NULL, '2026-11-23 05:44:17.697634+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 25, '01a206ef-063d-7a17-9643-edf761057f57', 'message.sent', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-05b0-7a17-9643-edf761057f4e', NULL, NULL, NULL, '2026-11-23 05:44:17.725821+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 26, '01a206ef-064c-74bb-9a77-0ef953a09206', 'message.delivered', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-74bb-9a77-0ef953a0921c', NULL, NULL, NULL, '2026-11-23 05:44:17.740644+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 27, '01a206ef-0677-74d7-ae0b-b439640cf72f', 'message.delivered', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-054b-74d7-ae0b-b439640cf734', NULL, NULL, NULL, '2026-11-23 05:44:17.783134+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 28, '01a206ef-0695-7399-bdc6-33b0a800139a', 'message.delivered', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0560-7399-bdc6-33b0a8001386', NULL, NULL, NULL, '2026-11-23 05:44:17.813673+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 29, '01a206ef-06a8-7975-8c35-20ce82b898e1', 'message.delivered', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-056f-7975-8c35-20ce82b898fc', NULL, NULL, NULL, '2026-11-23 05:44:17.8329+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 30, '01a206ef-06a8-723c-9939-b618406abb42', 'message.delivered', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0586-723c-9939-b618406abb5c', NULL, NULL, NULL, '2026-11-23 05:44:17.8329+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 31, '01a206ef-06d3-7a17-9643-edf761057f51', 'message.delivered', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-05b0-7a17-9643-edf761057f4e', NULL, NULL, NULL, '2026-11-23 05:44:17.875066+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 32, '01a206ef-0715-74bb-9a77-0ef953a0923c', 'message.read', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-74bb-9a77-0ef953a0921c', NULL, NULL, NULL, '2026-11-23 05:44:17.941265+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 33, '01a206ef-073f-74d7-ae0b-b439640cf715', 'message.read', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-054b-74d7-ae0b-b439640cf734', NULL, NULL, NULL, '2026-11-23 05:44:17.98309+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 34, '01a206ef-074e-7399-bdc6-33b0a80013a4', 'message.read', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0560-7399-bdc6-33b0a8001386', NULL, NULL, NULL, '2026-11-23 05:44:17.998759+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 35, '01a206ef-0760-7975-8c35-20ce82b898df', 'message.read', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-056f-7975-8c35-20ce82b898fc', NULL, NULL, NULL, '2026-11-23 05:44:18.016517+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 36, '01a206ef-0760-723c-9939-b618406abb78', 'message.read', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0586-723c-9939-b618406abb5c', NULL, NULL, NULL, '2026-11-23 05:44:18.016517+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 37, '01a206ef-0799-7a17-9643-edf761057f6b', 'message.read', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-05b0-7a17-9643-edf761057f4e', NULL, NULL, NULL, '2026-11-23 05:44:18.073098+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 38, '01a206ef-080d-709e-bbd9-efe2ccebf11e', 'message.received', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-080a-709e-bbd9-efe2ccebf138', NULL, NULL, NULL, '2026-11-23 05:44:18.189307+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 39, '01a206ef-0838-7ac5-94b7-45fda6e439aa', 'message.received', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0835-7ac5-94b7-45fda6e4398d', NULL, NULL, NULL, '2026-11-23 05:44:18.232111+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 41, '01a206ef-085b-7076-9700-9d083464482d', 'message.received', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0859-7076-9700-9d0834644804', NULL, NULL, NULL, '2026-11-23 05:44:18.267122+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 40, '01a206ef-0849-751e-b2df-10e67bc96535', 'message.received', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0847-751e-b2df-10e67bc9651d', NULL, NULL, NULL, '2026-11-23 05:44:18.24977+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 43, '01a206ef-0893-7c93-aa5a-6316343fcf8f', 'message.received', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0890-7c93-aa5a-6316343fcfa4', NULL, NULL, NULL, '2026-11-23 05:44:18.323744+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 42, '01a206ef-085e-7c95-8216-dd2becb1e7dd', 'message.received', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0859-7c95-8216-dd2becb1e7f7', NULL, NULL, NULL, '2026-11-23 05:44:18.270486+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 44, '01a206ef-20b3-7f47-9fbf-661d163bdf15', 'contact.created', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7f47-9fbf-661d163bdf39', NULL, NULL, '{"id":"ctc_01m83ey85kfx3szfv63mb3qqss","account_id":"acc_01m83ey7rter4vr9k4s83sdg6c","phone_number":"+12025550160","channel_user_id":null,"channel_parent_user_id":null,"username":null,"name":null,"opted_out_at":null,"created_at":"2026-11-23T05:44:24.499Z"}', '2026-11-23 05:44:24.499203+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 45, '01a206ef-20b3-7dad-9c32-4a7a4d0f4bf4', 'conversation.created', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', NULL, NULL, NULL, '2026-11-23 05:44:24.499203+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 46, '01a206ef-20b3-736f-b8fb-65aef9baa98a', 'message.queued', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-736f-b8fb-65aef9baa9a4', NULL, NULL, NULL, '2026-11-23 05:44:24.499203+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 47, '01a206ef-20b3-7dad-9c32-4a7a4d0f4bf6', 'conversation.agent_paused', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', NULL, NULL, NULL, '2026-11-23 05:44:24.499203+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 48, '01a206ef-2137-736f-b8fb-65aef9baa994', 'message.sent', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-736f-b8fb-65aef9baa9a4', NULL, NULL, NULL, '2026-11-23 05:44:24.631349+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 49, '01a206ef-2152-7f47-9fbf-661d163bdf08', 'contact.updated', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7f47-9fbf-661d163bdf39', NULL, NULL, '{"id":"ctc_01m83ey85kfx3szfv63mb3qqss","account_id":"acc_01m83ey7rter4vr9k4s83sdg6c","phone_number":"+12025550160","channel_user_id":null,"channel_parent_user_id":null,"username":null,"name":"Sheena Nelson","opted_out_at":null,"created_at":"2026-11-23T05:44:24.499Z","previous":{"name":null}}', '2026-11-23 05:44:24.658298+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 50, '01a206ef-2152-75e2-bd62-2dede9043b70', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-3847-75e2-bd62-2dede9043b42', NULL, NULL, NULL, '2026-11-23 05:44:24.658298+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 51, '01a206ef-215d-7864-9204-0b859fdc139d', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-3c2f-7864-9204-0b859fdc13ae', NULL, NULL, NULL, '2026-11-23 05:44:24.669567+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 52, '01a206ef-216a-736f-b8fb-65aef9baa990', 'message.delivered', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-736f-b8fb-65aef9baa9a4', NULL, NULL, NULL, '2026-11-23 05:44:24.682326+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 53, '01a206ef-216a-736f-b8fb-65aef9baa991', 'message.read', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-736f-b8fb-65aef9baa9a4', NULL, NULL, NULL, '2026-11-23 05:44:24.682326+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 54, '01a206ef-21c3-75e2-bd62-2dede9043b74', 'message.edited', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-3847-75e2-bd62-2dede9043b42', NULL, NULL, NULL, '2026-11-23 05:44:24.771598+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 55, '01a206ef-21de-7864-9204-0b859fdc1399', 'message.deleted', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-3c2f-7864-9204-0b859fdc13ae', NULL, NULL, NULL, '2026-11-23 05:44:24.798285+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 56, '01a206ef-21e8-7bbe-b962-b83e77b56f3e', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-47e7-7bbe-b962-b83e77b56f06', NULL, NULL, NULL, '2026-11-23 05:44:24.808413+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 57, '01a206ef-21f5-71f5-af65-3eccfaad0e2d', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-4bcf-71f5-af65-3eccfaad0e14', NULL, NULL, NULL, '2026-11-23 05:44:24.821187+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 58, '01a206ef-2204-7df4-aa60-99ec232d9f2d', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-4fb7-7df4-aa60-99ec232d9f17', NULL, NULL, NULL, '2026-11-23 05:44:24.836117+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 59, '01a206ef-2211-74f0-8032-5f90f341552d', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-539f-74f0-8032-5f90f3415516', NULL, NULL, NULL, '2026-11-23 05:44:24.849163+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 60, '01a206ef-2218-74a2-8e1c-36c0ea884d46', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-5787-74a2-8e1c-36c0ea884d7a', NULL, NULL, NULL, '2026-11-23 05:44:24.856633+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 61, '01a206ef-221d-7bbb-b573-5bc4041a63d0', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-5b6f-7bbb-b573-5bc4041a63ed', NULL, NULL, NULL, '2026-11-23 05:44:24.861603+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 62, '01a206ef-2224-7392-b4bb-258c3dfb1f4b', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-5f57-7392-b4bb-258c3dfb1f75', NULL, NULL, NULL, '2026-11-23 05:44:24.868044+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 63, '01a206ef-2238-719d-ae0f-d4b6e60e15d0', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-633f-719d-ae0f-d4b6e60e15ef', NULL, NULL, NULL, '2026-11-23 05:44:24.888001+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 64, '01a206ef-223f-7af4-8240-21dce0ade8ce', 'message.sent', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6727-7af4-8240-21dce0ade88e', NULL, NULL, NULL, '2026-11-23 05:44:24.89533+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 65, '01a206ef-2269-7191-83fc-080172a27c47', 'contact.created', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6b0f-7191-83fc-080172a27c06', NULL, NULL, '{"id":"ctc_01m83ewtrfe68r7z0805sa4z06","account_id":"acc_01m83ey7rter4vr9k4s83sdg6c","phone_number":null,"channel_user_id":"US.13491208655302741918","channel_parent_user_id":null,"username":"realjessica","name":"Sheena Nelson","opted_out_at":null,"created_at":"2026-11-23T05:43:37.999Z"}', '2026-11-23 05:44:24.937771+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 66, '01a206ef-2269-7023-8414-70f480e9f5fc', 'conversation.created', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6b0f-7023-8414-70f480e9f5be', NULL, NULL, NULL, '2026-11-23 05:44:24.937771+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 67, '01a206ef-2269-757e-ac25-f0013c0085f8', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6b0f-757e-ac25-f0013c0085bb', NULL, NULL, NULL, '2026-11-23 05:44:24.937771+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 68, '01a206ef-22dc-7ffd-a9ce-2b073b51ed43', 'contact.created', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6ef7-7ffd-a9ce-2b073b51ed07', NULL, NULL, '{"id":"ctc_01m83ewvqqfzytkkhb0wxn3v87","account_id":"acc_01m83ey7rter4vr9k4s83sdg6c","phone_number":"+12025550161","channel_user_id":null,"channel_parent_user_id":null,"username":null,"name":"Sheena Nelson","opted_out_at":null,"created_at":"2026-11-23T05:43:38.999Z"}', '2026-11-23 05:44:25.052969+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 69, '01a206ef-22dc-702f-b16d-335f2ab590d4', 'conversation.created', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6ef7-702f-b16d-335f2ab59091', NULL, NULL, NULL, '2026-11-23 05:44:25.052969+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 70, '01a206ef-22dc-75dc-a5a3-6ccbd9493571', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6ef7-75dc-a5a3-6ccbd9493537', NULL, NULL, NULL, '2026-11-23 05:44:25.052969+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 71, '01a206ef-22f8-7818-9e5b-0b995612341a', 'contact.created', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-72df-7818-9e5b-0b995612345d', NULL, NULL, '{"id":"ctc_01m83ewwpzf0c9wprbk5b14d2x","account_id":"acc_01m83ey7rter4vr9k4s83sdg6c","phone_number":null,"channel_user_id":"US.2","channel_parent_user_id":null,"username":null,"name":"Sheena Nelson","opted_out_at":null,"created_at":"2026-11-23T05:43:39.999Z"}', '2026-11-23 05:44:25.080532+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 72, '01a206ef-22f8-725d-8e58-434a272fb28e', 'conversation.created', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-72df-725d-8e58-434a272fb2c6', NULL, NULL, NULL, '2026-11-23 05:44:25.080532+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 73, '01a206ef-22f8-7ca1-8014-58e9009f9027', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-72df-7ca1-8014-58e9009f906e', NULL, NULL, NULL, '2026-11-23 05:44:25.080532+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 74, '01a206ef-237b-7ffd-a9ce-2b073b51ed4d', 'contact.merged', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6ef7-7ffd-a9ce-2b073b51ed07', NULL, NULL, '{"contact_id":"ctc_01m83ewvqqfzytkkhb0wxn3v87","merged_contact_id":"ctc_01m83ewwpzf0c9wprbk5b14d2x","conversation_id":"conv_01m83ewvqqe0qv2v9kbwnbb44h","merged_conversation_id":"conv_01m83ewwpze9erwp2398kjzcp6"}', '2026-11-23 05:44:25.211747+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 75, '01a206ef-237b-7ffd-a9ce-2b073b51ed4c', 'contact.updated', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6ef7-7ffd-a9ce-2b073b51ed07', NULL, NULL, '{"id":"ctc_01m83ewvqqfzytkkhb0wxn3v87","account_id":"acc_01m83ey7rter4vr9k4s83sdg6c","phone_number":"+12025550161","channel_user_id":"US.2","channel_parent_user_id":null,"username":null,"name":"Sheena Nelson","opted_out_at":null,"created_at":"2026-11-23T05:43:38.999Z","previous":{"channel_user_id":null}}', '2026-11-23 05:44:25.211747+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 76, '01a206ef-237b-7eba-a22c-d8689e9172cc', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-76c7-7eba-a22c-d8689e917280', NULL, NULL, NULL, '2026-11-23 05:44:25.211747+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 77, '01a206ef-23f4-73ea-9ddd-5067bfd56dbd', 'contact.created', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-7aaf-73ea-9ddd-5067bfd56df0', NULL, NULL, '{"id":"ctc_01m83ewynfefn9vqagcyzxavfg","account_id":"acc_01m83ey7rter4vr9k4s83sdg6c","phone_number":"+12025550162","channel_user_id":null,"channel_parent_user_id":null,"username":null,"name":"Sheena Nelson","opted_out_at":null,"created_at":"2026-11-23T05:43:41.999Z"}', '2026-11-23 05:44:25.332764+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 78, '01a206ef-23f4-734f-82d2-765557fb678c', 'conversation.created', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-7aaf-734f-82d2-765557fb67c2', NULL, NULL, NULL, '2026-11-23 05:44:25.332764+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 79, '01a206ef-23f4-7aad-8ad3-3ef9f1f16778', 'message.received', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-7aaf-7aad-8ad3-3ef9f1f16737', NULL, NULL, NULL, '2026-11-23 05:44:25.332764+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 80, '01a206ef-2468-73ea-9ddd-5067bfd56da0', 'contact.updated', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-7aaf-73ea-9ddd-5067bfd56df0', NULL, NULL, '{"id":"ctc_01m83ewynfefn9vqagcyzxavfg","account_id":"acc_01m83ey7rter4vr9k4s83sdg6c","phone_number":"+12025550162","channel_user_id":null,"channel_parent_user_id":null,"username":null,"name":"Sheena Nelson","opted_out_at":"2026-11-23T05:43:41.000Z","created_at":"2026-11-23T05:43:41.999Z","previous":{"opted_out_at":null}}', '2026-11-23 05:44:25.448568+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 83, '01a206ef-25cf-7c26-b8ff-97f202e179cb', 'template.updated', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-24e4-7c26-b8ff-97f202e17998', NULL, NULL, '{"id":"tpl_01m83ey974fgkbhzwqy81e2ycr","account_id":"acc_01m83ey7rter4vr9k4s83sdg6c","name":"spring_sale","language":"en","change":"quality","previous":null,"current":"yellow"}', '2026-11-23 05:44:25.807141+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 81, '01a206ef-24e9-7c26-b8ff-97f202e179c9', 'template.submitted', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-24e4-7c26-b8ff-97f202e17998', NULL, NULL, '{"id":"tpl_01m83ey974fgkbhzwqy81e2ycr","name":"spring_sale","language":"en","category":"marketing","status":"pending","rejection_reason":null,"rejection_detail":null,"parameter_format":"positional","components":[{"type":"BODY","text":"Everything must go."}],"message_send_ttl_seconds":null,"quality":null,"account_id":"acc_01m83ey7rter4vr9k4s83sdg6c","external_id":"1000000000000001","submitted_at":"2026-11-23T05:44:25.577Z","reviewed_at":null,"created_at":"2026-11-23T05:44:25.572Z","updated_at":"2026-11-23T05:44:25.577Z"}', '2026-11-23 05:44:25.577832+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 82, '01a206ee-7aaf-7c26-b8ff-97f202e179ca', 'template.approved', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-24e4-7c26-b8ff-97f202e17998', NULL, NULL, '{"id":"tpl_01m83ey974fgkbhzwqy81e2ycr","name":"spring_sale","language":"en","category":"marketing","status":"approved","rejection_reason":null,"rejection_detail":null,"parameter_format":"positional","components":[{"type":"BODY","text":"Everything must go."}],"message_send_ttl_seconds":null,"quality":null,"account_id":"acc_01m83ey7rter4vr9k4s83sdg6c","external_id":"1000000000000001","submitted_at":"2026-11-23T05:44:25.577Z","reviewed_at":"2026-11-23T05:43:41.999Z","created_at":"2026-11-23T05:44:25.572Z","updated_at":"2026-11-23T05:43:41.999Z"}', '2026-11-23 05:43:41.999+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 84, '01a206ef-263c-7041-af9f-16d03432d4f9', 'contact.created', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-263c-7041-af9f-16d03432d4ad', NULL, NULL, '{"id":"ctc_01m83ey9hwe10tz7rpt0t35n5d","account_id":"acc_01m83ey7vwf0t82hy9w5vxsdkg","phone_number":"+12025550163","channel_user_id":null,"channel_parent_user_id":null,"username":null,"name":null,"opted_out_at":null,"created_at":"2026-11-23T05:44:25.916Z"}', '2026-11-23 05:44:25.916166+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 85, '01a206ef-263c-724a-97b9-a9f653740b07', 'conversation.created', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-263c-724a-97b9-a9f653740b52', NULL, NULL, NULL, '2026-11-23 05:44:25.916166+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 86, '01a206ef-263c-7205-ab67-d671eb0b05b6', 'message.queued', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-263c-7205-ab67-d671eb0b05e0', NULL, NULL, NULL, '2026-11-23 05:44:25.916166+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 87, '01a206ef-263c-724a-97b9-a9f653740b05', 'conversation.agent_paused', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-263c-724a-97b9-a9f653740b52', NULL, NULL, NULL, '2026-11-23 05:44:25.916166+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 90, '01a206ef-265c-736b-b24a-77c5f203f646', 'contact.created', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-265c-736b-b24a-77c5f203f61c', NULL, NULL, '{"id":"ctc_01m83ey9jwednv4jkqrqs07xgw","account_id":"acc_01m83ey7vwf0t82hy9w5vxsdkg","phone_number":"+12025550164","channel_user_id":null,"channel_parent_user_id":null,"username":null,"name":null,"opted_out_at":null,"created_at":"2026-11-23T05:44:25.948Z"}', '2026-11-23 05:44:25.948175+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 91, '01a206ef-265c-7f80-aea3-7c3ee4366aa0', 'conversation.created', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-265c-7f80-aea3-7c3ee4366afb', NULL, NULL, NULL, '2026-11-23 05:44:25.948175+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 92, '01a206ef-265c-745e-bde9-b6d514f559b0', 'message.queued', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-265c-745e-bde9-b6d514f559ec', NULL, NULL, NULL, '2026-11-23 05:44:25.948175+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 93, '01a206ef-265c-7f80-aea3-7c3ee4366aa6', 'conversation.agent_paused', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-265c-7f80-aea3-7c3ee4366afb', NULL, NULL, NULL, '2026-11-23 05:44:25.948175+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 88, '01a206ef-2648-78cb-90c9-2548136f4701', 'message.queued', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-2648-78cb-90c9-2548136f4759', NULL, NULL, NULL, '2026-11-23 05:44:25.928694+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 89, '01a206ef-2650-7834-8147-c9e177dcb629', 'account.updated', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-1f7c-7834-8147-c9e177dcb670', NULL, NULL, '{"id":"acc_01m83ey7vwf0t82hy9w5vxsdkg","phone_number":"+12025550197","display_name":"Held","channel":"cloud_api","health":{"state":"held","reason":"token_refused","message":"Error validating access token: the session has been invalidated. (190)","since":"2026-11-23T05:44:25.936Z","quality":null,"limit":null,"pace":null}}', '2026-11-23 05:44:25.936266+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 94, '01a206ef-2674-7118-aa89-0d7ada3224d5', 'message.queued', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-2674-7118-aa89-0d7ada32248b', NULL, NULL, NULL, '2026-11-23 05:44:25.972581+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 95, '01a206ef-26a4-7d90-b10b-5ebc8ad9ff58', 'account.updated', '01a206ef-1fe6-7d90-b10b-5ebc8ad9ff07', '01a206ef-1fe6-7d90-b10b-5ebc8ad9ff07', NULL, NULL, '{"id":"acc_01m83ey7z6fp8b22tyqj5dkzr7","phone_number":"+12025550198","display_name":"Restricted","channel":"cloud_api","health":{"state":"restricted","reason":"account_restricted","message":"Meta has restricted the account: RESTRICTED_ADD_PHONE_NUMBER_ACTION.","since":"2026-11-23T05:44:26.020Z","quality":null,"limit":null,"pace":null}}', '2026-11-23 05:44:26.020406+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 96, '01a206ef-2c98-7b23-a48d-1f54a97b06b9', 'contact.created', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '01a206ef-2c98-7b23-a48d-1f54a97b06d9', NULL, NULL, '{"id":"ctc_01m83eyb4rfcht938zajmqp1ps","account_id":"acc_01m83ey7nae2ka6cz4rymz9cdy","phone_number":"+12025550155","channel_user_id":null,"channel_parent_user_id":null,"username":null,"name":null,"opted_out_at":null,"created_at":"2026-11-23T05:44:27.544Z"}', '2026-11-23 05:44:27.54443+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 97, '01a206ef-2c98-7a5a-81b3-f7a3d58eb37a', 'conversation.created', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '01a206ef-2c98-7a5a-81b3-f7a3d58eb31b', NULL, NULL, NULL, '2026-11-23 05:44:27.54443+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 98, '01a206ef-2c98-7706-bcb8-9e11e108bf44', 'message.queued', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '01a206ef-2c98-7706-bcb8-9e11e108bf26', NULL, NULL, NULL, '2026-11-23 05:44:27.54443+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 99, '01a206ef-2c98-7a5a-81b3-f7a3d58eb378', 'conversation.agent_paused', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '01a206ef-2c98-7a5a-81b3-f7a3d58eb31b', NULL, NULL, NULL, '2026-11-23 05:44:27.54443+00'),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 100, '01a206ef-2caf-7f8c-8327-56f4a42174a8', 'message.queued', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '01a206ef-2caf-7f8c-8327-56f4a42174cc', NULL, NULL, NULL, '2026-11-23 05:44:27.567101+00');
INSERT INTO public.events VALUES
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 101, '01a206ef-2cc3-7bdc-a431-a9dbe07fdebd', 'message.queued', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '01a206ef-2cc3-7bdc-a431-a9dbe07fded8', NULL, NULL, NULL, '2026-11-23 05:44:27.587005+00');






INSERT INTO public.form_results VALUES
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', '\x0bcf2435dacf65915473b9ae360c9f9a5c6542cba881de2011ddc5144eac62d0', '53ca61fecf211efe4c5065cf53529af4', '/integrations/webhooks/whe_01m83ey068ezkt707rt981qrw1?secret=53ca61fecf211efe4c5065cf53529af4', NULL, '2026-11-23 05:44:16.326987+00');



INSERT INTO public.handshakes VALUES
	('01a206ef-00f3-7d25-bd92-72e4178a69d8', '01a206ef-009d-786a-8da1-886b37d57a0b', '01a206ee-ff1b-79d3-95a6-922abb4069c4', NULL, '2026-11-23 05:44:16.371674+00');



INSERT INTO public.idempotency VALUES
	('01a206ee-ffe7-76c1-957a-1c20c5cca740', '/api/v1/messages', 'kept-1', '\xff170afb31ade1973877338e72e1299c6bab39c9b7c398f568f6322282075f9d', 201, '{"id":"msg_01m83ey1dgf8bscgzdyxggazte","status":"queued","direction":"outbound","type":"text","conversation_id":"conv_01m83ey19vf74sqt1s6kacje95","contact_id":"ctc_01m83ey19venjbc63a1q8gzpr6","account_id":"acc_01m83exztdfb7rrrapfk1snhr9","phone_number":"+12025550100","channel_message_id":null,"client_ref":null,"warnings":["window_closed"],"created_at":"2026-11-23T05:44:17.584Z"}', '2026-11-23 05:44:17.584842+00');



INSERT INTO public.instances VALUES
	('01a206ef-2c53-73a5-be37-102ffc119620', 1);



INSERT INTO public.keys VALUES
	('01a206ef-0022-7f52-8247-06018851bec3', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 'swk_6337jsOmMxJBLKwdqfCKpK', '\x8830de079866794003fa36f2eb73aadb91b2cd49a23bb1e32839d1b04aa2ba48', 'Off', 'manual', 'inactive', NULL, 'messages.send templates.read templates.write conversations.read media.write', 5, '2026-11-23 05:44:16.16285+00', NULL),
	('01a206ef-00f5-732f-ab27-059b7613aaa9', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 'swk_6QckulW4qGXGLPVp2iENUC', '\xcfe4c3e02a264cff20ef719a4960b3d2089adda8e901734decaf8d51ade558f0', 'Partner CRM', 'connection', 'active', '01a206ee-ff4d-7acf-8c61-567cc39ac709', 'messages.send conversations.read', 100, '2026-11-23 05:44:16.3736+00', NULL),
	('01a206ef-1eea-740d-b5fb-8d8ee5ff6934', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 'swk_6NgJEcWrgHEnHVtkUrBrWc', '\x39209441f74c19b22039bdf04af44ea3e7a1db2ea028a805eeedaa3aab859ed3', 'Cloud', 'manual', 'active', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', 'messages.send templates.read templates.write conversations.read media.write', 0, '2026-11-23 05:44:24.042298+00', NULL),
	('01a206ee-ffe7-76c1-957a-1c20c5cca740', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 'swk_0dJL6tUym9OWd9gdMOhTBr', '\x978101b7cd91f8d70c145ca85bee042741e3617607fc2759559b9e2487184539', 'Shop', 'manual', 'active', NULL, 'messages.send templates.read templates.write conversations.read media.write', 0, '2026-11-23 05:44:16.103385+00', '2026-11-23 05:44:26.343342+00'),
	('01a206ef-1f4c-7e1c-bde8-f23ddc767523', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 'swk_7lZFkI7hGBmR3pbOBi2jZo', '\xf3082c53222d06f40d5bb95aa7ac97dbfc4ebf58bf3ced4122978bef2bf504a1', 'Inbox', 'manual', 'active', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', 'messages.send templates.read templates.write conversations.read media.write', 0, '2026-11-23 05:44:24.140393+00', '2026-11-23 05:44:26.332339+00'),
	('01a206ef-1fb4-7628-9425-6e3d8b3fab5b', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 'swk_1rdKszPYuarHIqL84loqqH', '\x59edb8a7d502c55e0e56aadf0776d10d897f0bb2f5af1b518c219dfc945e94a7', 'Held', 'manual', 'active', '01a206ef-1f7c-7834-8147-c9e177dcb670', 'messages.send templates.read templates.write conversations.read media.write', 0, '2026-11-23 05:44:24.244667+00', '2026-11-23 05:44:26.336159+00'),
	('01a206ef-2016-7c3a-9481-077618cba0bd', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 'swk_30J7biJODxOq3YttVdQn0q', '\x13aab392c96148e090359bad8ac7e9d9f8330a1706a88eaee1cfa67488b5274b', 'Restricted', 'manual', 'active', '01a206ef-1fe6-7d90-b10b-5ebc8ad9ff07', 'messages.send templates.read templates.write conversations.read media.write', 0, '2026-11-23 05:44:24.34236+00', '2026-11-23 05:44:26.339522+00');



INSERT INTO public.media VALUES
	('01a206ef-0534-7f57-a121-df3ffeeaadd5', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 'kept', 'logo.png', 'image/png', 70, '\x6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0', '2026-11-23 05:44:17.460197+00'),
	('01a206ef-2203-72db-9923-7a33f6492dd5', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 'kept', 'image.png', 'image/png', 70, '\x6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0', '2026-11-23 05:44:24.835378+00');



INSERT INTO public.members VALUES
	('01a206ee-ff7a-747a-a815-d0329cf11de5', 'ada@acme.example', 'Ada', '$argon2id$v=19$m=19456,t=2,p=1$uKjAVoDkFPsa8vaJex2KKA$YOYYC0FgRrblL7hHK4r+plbVJWsvNL2oRSZteOwlYg8', '2026-11-23 05:44:16.051512+00');



INSERT INTO public.memberships VALUES
	('01a206ee-ff7a-747a-a815-d0329cf11de5', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '2026-11-23 05:44:16.051512+00');



INSERT INTO public.messages VALUES
	('01a206ee-539f-74f0-8032-5f90f3415516', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 7, 'inbound', 'customer', 'order', '{"catalog_id":"35","text":"Soon","product_items":[{"product_retailer_id":"bread","quantity":2.0,"item_price":3.5,"currency":"EUR"}]}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P8', '2026-11-23 05:43:31.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-0595-7a3e-8b92-efb8a173bbe2', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-0595-7736-b4cf-35add201b073', '01a206ef-0595-7ad7-abf3-b199e75a51fc', 1, 'outbound', 'api', 'text', '{"text":"Hi"}', 'failed', 'recipient_unreachable', 'Message undeliverable', 131026, NULL, NULL, NULL, 'wamid.sandbox.01a206ef05957a3e8b92efb8a173bbe2', '2026-11-23 05:44:17.557853+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-20b3-736f-b8fb-65aef9baa9a4', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 1, 'outbound', 'api', 'text', '{"text":"Your table is booked."}', 'read', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.0', '2026-11-23 05:44:24.499203+00', '2026-11-23 05:44:24.621983+00', '2026-11-23 05:44:24.653511+00', '2026-11-23 05:44:24.653511+00', 1, NULL, NULL),
	('01a206ee-3847-75e2-bd62-2dede9043b42', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 2, 'inbound', 'customer', 'text', '{"text":"Wednesday"}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P1', '2026-11-23 05:43:24.999+00', NULL, NULL, NULL, 1, NULL, '{"versions":[{"type":"text","content":{"text":"Tuesday"},"written_at":1795412604999000,"noted_at":1795412604999000},{"type":"text","content":{"text":"Wednesday"},"written_at":1795412606999000,"noted_at":1795412664771598,"change":"wamid.P3"}]}'),
	('01a206ee-3c2f-7864-9204-0b859fdc13ae', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 3, 'inbound', 'customer', 'text', '{"text":"Forget it"}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P2', '2026-11-23 05:43:25.999+00', NULL, NULL, NULL, 1, NULL, '{"versions":[{"type":"text","content":{"text":"Forget it"},"written_at":1795412605999000,"noted_at":1795412605999000}],"deletion":{"at":1795412607999000,"noted_at":1795412664798285}}'),
	('01a206ef-053b-74bb-9a77-0ef953a0921c', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 1, 'outbound', 'api', 'text', '{"text":"Hello, ☕ and 😀"}', 'read', NULL, NULL, NULL, 'order-1', '{"order":"1"}', NULL, 'wamid.sandbox.01a206ef053b74bb9a770ef953a0921c', '2026-11-23 05:44:17.467926+00', '2026-11-23 05:44:17.589608+00', '2026-11-23 05:44:17.73824+00', '2026-11-23 05:44:17.937013+00', 1, NULL, NULL),
	('01a206ef-054b-74d7-ae0b-b439640cf734', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 2, 'outbound', 'api', 'media', '{"url":"http://127.0.0.1:46525/media/med_01m83ey19mfxbt28ez7zzenben/logo.png","media_type":"image","caption":"Our logo","filename":null}', 'read', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.sandbox.01a206ef054b74d7ae0bb439640cf734', '2026-11-23 05:44:17.483185+00', '2026-11-23 05:44:17.63808+00', '2026-11-23 05:44:17.778829+00', '2026-11-23 05:44:17.979724+00', 1, NULL, NULL),
	('01a206ef-0560-7399-bdc6-33b0a8001386', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 3, 'outbound', 'api', 'template', '{"name":"order_update","language":"en","components":[{"type":"body","parameters":[{"type":"text","text":"Ada"}]}]}', 'read', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.sandbox.01a206ef05607399bdc633b0a8001386', '2026-11-23 05:44:17.504407+00', '2026-11-23 05:44:17.63808+00', '2026-11-23 05:44:17.800017+00', '2026-11-23 05:44:17.995903+00', 1, NULL, NULL),
	('01a206ef-056f-7975-8c35-20ce82b898fc', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 4, 'outbound', 'api', 'interactive', '{"type":"button","body":{"text":"Coming?"},"action":{"buttons":[{"type":"reply","reply":{"id":"yes","title":"Yes"}},{"type":"reply","reply":{"id":"no","title":"No"}}]}}', 'read', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.sandbox.01a206ef056f79758c3520ce82b898fc', '2026-11-23 05:44:17.519105+00', '2026-11-23 05:44:17.667843+00', '2026-11-23 05:44:17.829347+00', '2026-11-23 05:44:18.014283+00', 1, NULL, NULL),
	('01a206ef-0586-723c-9939-b618406abb5c', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 5, 'outbound', 'api', 'interactive', '{"type":"list","body":{"text":"Which one?"},"action":{"button":"Choose","sections":[{"title":"Cakes","rows":[{"id":"apple","title":"Apple"},{"id":"plum","title":"Plum"}]}]}}', 'read', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.sandbox.01a206ef0586723c9939b618406abb5c', '2026-11-23 05:44:17.542841+00', '2026-11-23 05:44:17.667843+00', '2026-11-23 05:44:17.829347+00', '2026-11-23 05:44:18.014283+00', 1, NULL, NULL),
	('01a206ef-05b0-7a17-9643-edf761057f4e', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 6, 'outbound', 'api', 'text', '{"text":"Once"}', 'read', NULL, NULL, NULL, NULL, NULL, '01a206ef-053b-74bb-9a77-0ef953a0921c', 'wamid.sandbox.01a206ef05b07a179643edf761057f4e', '2026-11-23 05:44:17.584842+00', '2026-11-23 05:44:17.722626+00', '2026-11-23 05:44:17.869863+00', '2026-11-23 05:44:18.070023+00', 1, NULL, NULL),
	('01a206ef-080a-709e-bbd9-efe2ccebf138', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 7, 'inbound', 'customer', 'text', '{"text":"Hello, ☕ and 😀"}', 'received', NULL, NULL, NULL, NULL, NULL, '01a206ef-053b-74bb-9a77-0ef953a0921c', 'wamid.sandbox.01a206ef053b74bb9a770ef953a0921c.reply', '2026-11-23 05:44:18.186092+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-0835-7ac5-94b7-45fda6e4398d', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 8, 'inbound', 'customer', 'text', '{"text":"[image] http://127.0.0.1:46525/media/med_01m83ey19mfxbt28ez7zzenben/logo.png\nOur logo"}', 'received', NULL, NULL, NULL, NULL, NULL, '01a206ef-054b-74d7-ae0b-b439640cf734', 'wamid.sandbox.01a206ef054b74d7ae0bb439640cf734.reply', '2026-11-23 05:44:18.22902+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-0847-751e-b2df-10e67bc9651d', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 9, 'inbound', 'customer', 'text', '{"text":"Hello Ada, your order has left."}', 'received', NULL, NULL, NULL, NULL, NULL, '01a206ef-0560-7399-bdc6-33b0a8001386', 'wamid.sandbox.01a206ef05607399bdc633b0a8001386.reply', '2026-11-23 05:44:18.247018+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-0859-7076-9700-9d0834644804', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 10, 'inbound', 'customer', 'text', '{"text":"Coming?\n[Yes]\n[No]"}', 'received', NULL, NULL, NULL, NULL, NULL, '01a206ef-056f-7975-8c35-20ce82b898fc', 'wamid.sandbox.01a206ef056f79758c3520ce82b898fc.reply', '2026-11-23 05:44:18.26517+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-0859-7c95-8216-dd2becb1e7f7', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 11, 'inbound', 'customer', 'text', '{"text":"Which one?\n[Choose]"}', 'received', NULL, NULL, NULL, NULL, NULL, '01a206ef-0586-723c-9939-b618406abb5c', 'wamid.sandbox.01a206ef0586723c9939b618406abb5c.reply', '2026-11-23 05:44:18.26517+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-0890-7c93-aa5a-6316343fcfa4', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '01a206ef-053b-79c9-9be8-3934d4c93925', '01a206ef-053b-7564-b618-6a0dd10fdb06', 12, 'inbound', 'customer', 'text', '{"text":"Once"}', 'received', NULL, NULL, NULL, NULL, NULL, '01a206ef-05b0-7a17-9643-edf761057f4e', 'wamid.sandbox.01a206ef05b07a179643edf761057f4e.reply', '2026-11-23 05:44:18.320616+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ee-4bcf-71f5-af65-3eccfaad0e14', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 5, 'inbound', 'customer', 'location', '{"latitude":37.5,"longitude":-122.25,"name":"HQ","url":"https://example.com"}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P6', '2026-11-23 05:43:29.999+00', NULL, NULL, NULL, 1, '{"forwarded":true}', NULL),
	('01a206ee-47e7-7bbe-b962-b83e77b56f06', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 4, 'inbound', 'customer', 'media', '{"url":"http://127.0.0.1:46525/media/med_01m83ey8g3ebdsj8vt6fv4jben/image.png","media_type":"image","content_type":"image/png","caption":"The menu","filename":null}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P5', '2026-11-23 05:43:28.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ee-4fb7-7df4-aa60-99ec232d9f17', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 6, 'inbound', 'customer', 'contacts', '[{"name":{"formatted_name":"Ada L","first_name":"Ada"},"phones":[{"phone":"+1 202 555 0100"}],"birthday":"1815-12-10"}]', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P7', '2026-11-23 05:43:30.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ee-5787-74a2-8e1c-36c0ea884d7a', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 8, 'inbound', 'customer', 'reaction', '{"text":"👍"}', 'received', NULL, NULL, NULL, NULL, NULL, '01a206ef-20b3-736f-b8fb-65aef9baa9a4', 'wamid.P9', '2026-11-23 05:43:32.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ee-5b6f-7bbb-b573-5bc4041a63ed', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 9, 'inbound', 'customer', 'interactive', '{"type":"button_reply","button_reply":{"id":"yes","title":"Yes"}}', 'received', NULL, NULL, NULL, NULL, NULL, '01a206ef-20b3-736f-b8fb-65aef9baa9a4', 'wamid.P10', '2026-11-23 05:43:33.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ee-5f57-7392-b4bb-258c3dfb1f75', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 10, 'inbound', 'customer', 'interactive', '{"type":"flow_reply","flow_reply":{"name":"flow","body":"Sent","response":{"flow_token":"t","rating":4}}}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P11', '2026-11-23 05:43:34.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ee-633f-719d-ae0f-d4b6e60e15ef', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 11, 'inbound', 'customer', 'unsupported', '{"type":"hologram","payload":{"id": "wamid.P12", "timestamp": "1795412615", "type": "hologram", "hologram": {"depth": 3}, "from": "12025550160"}}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P12', '2026-11-23 05:43:35.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ee-6727-7af4-8240-21dce0ade88e', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ef-20b3-7dad-9c32-4a7a4d0f4bd9', '01a206ef-20b3-7f47-9fbf-661d163bdf39', 12, 'outbound', 'phone', 'text', '{"text":"We are open until ten"}', 'sent', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P13', '2026-11-23 05:43:36.999+00', '2026-11-23 05:43:36.999+00', NULL, NULL, 1, NULL, NULL),
	('01a206ee-6b0f-757e-ac25-f0013c0085bb', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6b0f-7023-8414-70f480e9f5be', '01a206ee-6b0f-7191-83fc-080172a27c06', 1, 'inbound', 'customer', 'text', '{"text":"Hello"}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P14', '2026-11-23 05:43:37.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ee-6ef7-75dc-a5a3-6ccbd9493537', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6ef7-702f-b16d-335f2ab59091', '01a206ee-6ef7-7ffd-a9ce-2b073b51ed07', 1, 'inbound', 'customer', 'text', '{"text":"It is me"}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P15', '2026-11-23 05:43:38.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-2674-7118-aa89-0d7ada32248b', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-265c-7f80-aea3-7c3ee4366afb', '01a206ef-265c-736b-b24a-77c5f203f61c', 2, 'outbound', 'api', 'text', '{"text":"Held 1"}', 'queued', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-23 05:44:25.972581+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ee-72df-7ca1-8014-58e9009f906e', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6ef7-702f-b16d-335f2ab59091', '01a206ee-6ef7-7ffd-a9ce-2b073b51ed07', 2, 'inbound', 'customer', 'text', '{"text":"From another phone"}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P16', '2026-11-23 05:43:39.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ee-76c7-7eba-a22c-d8689e917280', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-6ef7-702f-b16d-335f2ab59091', '01a206ee-6ef7-7ffd-a9ce-2b073b51ed07', 3, 'inbound', 'customer', 'text', '{"text":"Both of me"}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P17', '2026-11-23 05:43:40.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ee-7aaf-7aad-8ad3-3ef9f1f16737', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', '01a206ee-7aaf-734f-82d2-765557fb67c2', '01a206ee-7aaf-73ea-9ddd-5067bfd56df0', 1, 'inbound', 'customer', 'text', '{"text":"Leave me alone"}', 'received', NULL, NULL, NULL, NULL, NULL, NULL, 'wamid.P18', '2026-11-23 05:43:41.999+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-263c-7205-ab67-d671eb0b05e0', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-263c-724a-97b9-a9f653740b52', '01a206ef-263c-7041-af9f-16d03432d4ad', 1, 'outbound', 'api', 'text', '{"text":"Held 0"}', 'queued', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-23 05:44:25.916166+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-265c-745e-bde9-b6d514f559ec', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-265c-7f80-aea3-7c3ee4366afb', '01a206ef-265c-736b-b24a-77c5f203f61c', 1, 'outbound', 'api', 'text', '{"text":"Held 0"}', 'queued', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-23 05:44:25.948175+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-2648-78cb-90c9-2548136f4759', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f7c-7834-8147-c9e177dcb670', '01a206ef-263c-724a-97b9-a9f653740b52', '01a206ef-263c-7041-af9f-16d03432d4ad', 2, 'outbound', 'api', 'text', '{"text":"Held 1"}', 'queued', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-23 05:44:25.928694+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-2c98-7706-bcb8-9e11e108bf26', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '01a206ef-2c98-7a5a-81b3-f7a3d58eb31b', '01a206ef-2c98-7b23-a48d-1f54a97b06d9', 1, 'outbound', 'api', 'text', '{"text":"Waiting 0"}', 'queued', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-23 05:44:27.54443+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-2caf-7f8c-8327-56f4a42174cc', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '01a206ef-2c98-7a5a-81b3-f7a3d58eb31b', '01a206ef-2c98-7b23-a48d-1f54a97b06d9', 2, 'outbound', 'api', 'text', '{"text":"Waiting 1"}', 'queued', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-23 05:44:27.567101+00', NULL, NULL, NULL, 1, NULL, NULL),
	('01a206ef-2cc3-7bdc-a431-a9dbe07fded8', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1eaa-70a6-a333-e4c7a9f4b1be', '01a206ef-2c98-7a5a-81b3-f7a3d58eb31b', '01a206ef-2c98-7b23-a48d-1f54a97b06d9', 3, 'outbound', 'api', 'text', '{"text":"Waiting 2"}', 'queued', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-23 05:44:27.587005+00', NULL, NULL, NULL, 1, NULL, NULL);



INSERT INTO public.organizations VALUES
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 'Acme', 'active', '01a206ee-fed9-72df-9b3e-083526bc334f', '01a206ee-ff4d-7acf-8c61-567cc39ac709', '2026-11-23 05:44:15.899496+00');



INSERT INTO public.outbox VALUES
	('01a206ef-263c-724a-97b9-a9f653740b52', 2, '01a206ef-2648-78cb-90c9-2548136f4759', 0, '2026-11-23 05:44:25.928694+00'),
	('01a206ef-265c-7f80-aea3-7c3ee4366afb', 1, '01a206ef-265c-745e-bde9-b6d514f559ec', 0, '2026-11-23 05:44:25.948175+00'),
	('01a206ef-263c-724a-97b9-a9f653740b52', 1, '01a206ef-263c-7205-ab67-d671eb0b05e0', 1, '2026-11-23 05:44:25.916166+00'),
	('01a206ef-265c-7f80-aea3-7c3ee4366afb', 2, '01a206ef-2674-7118-aa89-0d7ada32248b', 0, '2026-11-23 05:44:25.972581+00'),
	('01a206ef-2c98-7a5a-81b3-f7a3d58eb31b', 1, '01a206ef-2c98-7706-bcb8-9e11e108bf26', 1, '2026-11-23 05:44:27.54443+00'),
	('01a206ef-2c98-7a5a-81b3-f7a3d58eb31b', 2, '01a206ef-2caf-7f8c-8327-56f4a42174cc', 0, '2026-11-23 05:44:27.567101+00'),
	('01a206ef-2c98-7a5a-81b3-f7a3d58eb31b', 3, '01a206ef-2cc3-7bdc-a431-a9dbe07fded8', 0, '2026-11-23 05:44:27.587005+00');






INSERT INTO public.plans VALUES
	('01a206ee-fed9-72df-9b3e-083526bc334f', 'Pro', true, 100000, 10000, '2026-11-23 05:44:15.833626+00');



INSERT INTO public.server_keys VALUES
	('client_state', '\x75b20dcab76a82f0d4307879e7c11c21c6b9f2e83d8c975f41a23618f6bd15ac', '2026-11-23 05:44:15.764155+00');



INSERT INTO public.sessions VALUES
	('\x0bcf2435dacf65915473b9ae360c9f9a5c6542cba881de2011ddc5144eac62d0', '01a206ee-ff7a-747a-a815-d0329cf11de5', NULL, '2026-11-23 05:44:16.314968+00', '2026-11-23 05:44:16.314968+00', '\xca993692caf579b45ffe7d8b75393d603b1fa1210d75dd0663e2fc93ce0df951');



INSERT INTO public.templates VALUES
	('01a206ef-0103-7ff4-acdf-0b82d9ff0eea', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', 'order_update', 'en', 'utility', 'approved', NULL, NULL, 'positional', '[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}]', '12456687750961106666', '2026-11-23 05:44:16.394864+00', '2026-11-23 05:44:17.396665+00', '2026-11-23 05:44:16.387661+00', '2026-11-23 05:44:17.396665+00', NULL, 0, NULL, NULL, NULL),
	('01a206ef-010b-729d-a4b6-082b80418379', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ee-ff4d-7acf-8c61-567cc39ac709', 'order_update_rejected_scam', 'en', 'utility', 'rejected', 'scam', 'The sandbox''s reviewer rejects a name that ends in _rejected_scam.', 'positional', '[{"type":"BODY","text":"Hello {{1}}, your order has left.","example":{"body_text":[["Ada"]]}}]', '11868682850909913977', '2026-11-23 05:44:16.419859+00', '2026-11-23 05:44:17.42749+00', '2026-11-23 05:44:16.395708+00', '2026-11-23 05:44:17.42749+00', NULL, 0, NULL, NULL, NULL),
	('01a206ef-24e4-7c26-b8ff-97f202e17998', '01a206ee-ff1b-79d3-95a6-922abb4069c4', '01a206ef-1f1a-7609-bc26-64ca0796c0cc', 'spring_sale', 'en', 'marketing', 'approved', NULL, NULL, 'positional', '[{"type":"BODY","text":"Everything must go."}]', '1000000000000001', '2026-11-23 05:44:25.577832+00', '2026-11-23 05:43:41.999+00', '2026-11-23 05:44:25.572425+00', '2026-11-23 05:44:25.807141+00', NULL, 0, NULL, NULL, 'yellow');



INSERT INTO public.usage VALUES
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 'api_calls', 20261123, 110, false),
	('01a206ee-ff1b-79d3-95a6-922abb4069c4', 'messages', 202611, 15, false);



INSERT INTO public.verdicts VALUES
	('01a206ef-010a-7c13-8835-0fe8b0ec0f1c', '01a206ef-0103-7ff4-acdf-0b82d9ff0eea', 'pending', NULL, NULL, true, '2026-11-23 05:44:16.394864+00'),
	('01a206ef-0123-74fa-b6a4-0c44899024ef', '01a206ef-010b-729d-a4b6-082b80418379', 'pending', NULL, NULL, true, '2026-11-23 05:44:16.419859+00'),
	('01a206ef-04f4-7d37-85b7-a4ea2bdf11ea', '01a206ef-0103-7ff4-acdf-0b82d9ff0eea', 'approved', NULL, NULL, true, '2026-11-23 05:44:17.396665+00'),
	('01a206ef-0513-748a-a670-c1b9fb92fcd3', '01a206ef-010b-729d-a4b6-082b80418379', 'rejected', 'scam', 'The sandbox''s reviewer rejects a name that ends in _rejected_scam.', true, '2026-11-23 05:44:17.42749+00'),
	('01a206ef-24e9-7793-864c-a79f6a934c61', '01a206ef-24e4-7c26-b8ff-97f202e17998', 'pending', NULL, NULL, true, '2026-11-23 05:44:25.577832+00'),
	('01a206ee-7aaf-78fb-b162-8c86a9604dee', '01a206ef-24e4-7c26-b8ff-97f202e17998', 'approved', NULL, NULL, true, '2026-11-23 05:43:41.999+00');



INSERT INTO public.webhook_attempts VALUES
	('01a206ef-02a7-7ccc-8fe5-899beacfe129', 1, '2026-11-23 05:44:16.815714+00', 0, 'v1,wyDwBVpn38i+tXnhIY2sNNQpbF5DHApAYGCZlnRW534=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-02a7-7775-a294-a76b2c482b1b', 1, '2026-11-23 05:44:16.815996+00', 0, 'v1,1lwH0yB+TlsxBB+JkVGk0RHTDzNWPWSVCeVVr0DDTOg=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-02a7-74f6-a37d-6f4f109b7d77', 1, '2026-11-23 05:44:16.816056+00', 0, 'v1,cgQTd8BcXKbbDOv5Dz5tGxBgx0kucwsbIay+OTz59nM=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-04fd-7b9c-9357-7f73d6c45dc1', 1, '2026-11-23 05:44:17.41191+00', 0, 'v1,+3XRjDrKY6CITu1uFMj+z6EOQ9o0ozMyO4eQ/mvX8pM=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0519-7f01-8ec2-159e42afb6e0', 1, '2026-11-23 05:44:17.438435+00', 0, 'v1,/a2UOTiGvIQqDAffBbZy2n9n2u1RWJLJzfM/s1mBhwI=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0542-7f43-b440-c827976bc6c4', 1, '2026-11-23 05:44:17.490238+00', 0, 'v1,B7+/DD8ghP0wKjNz/EMSW6dvaB5sc7S3UopNKPesT5s=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0542-7c8e-92c1-5127bb32d6c4', 1, '2026-11-23 05:44:17.513701+00', 0, 'v1,LL+w5UUrMA2BVfPBp5QQtmWzXmK415ti3P1l6198ojs=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0542-714c-ae20-2dab9d61d951', 1, '2026-11-23 05:44:17.544494+00', 0, 'v1,leT7oYuqyDAMdXKqvfPL50SyOsEKbHt6WY/lu5EWhdw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0542-741d-923f-dda24df106d9', 1, '2026-11-23 05:44:17.570758+00', 0, 'v1,08/p4tgwbJyAs3MLLqFAmjHWRWgHHV/TQYHMfe8+TKU=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0558-78ae-854a-1ba9f2277068', 1, '2026-11-23 05:44:17.594183+00', 0, 'v1,M7k5SDzcpW+BRW8M48OhF9zVN4p6QAZ1OVil7skZIlc=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-056e-7309-a21e-74d38a06fe0a', 1, '2026-11-23 05:44:17.627116+00', 0, 'v1,KjhnYQxTNpKQzaoqKRHBhCLnGokoVA71X2Leoa7AaFE=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0583-773f-875f-2fe761638736', 1, '2026-11-23 05:44:17.648409+00', 0, 'v1,RafSZcceLw8NFRvsg+Nc+OBwHCx6xnp+Gd8P9tu0Y3w=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-059c-7b8a-b171-fe25c3a8c493', 1, '2026-11-23 05:44:17.664394+00', 0, 'v1,+ofeLIPHtCNiYQM/FCUdUfL0elgd9JSGTNsDidsPIb8=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05b6-79cf-b9ea-5b7eac39ec9f', 1, '2026-11-23 05:44:17.68107+00', 0, 'v1,wNYosWn8smsYBAnsskq6V88bzsdrcLBAef4gU+qm7x0=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05b6-7873-b8c1-3d22509bc497', 1, '2026-11-23 05:44:17.69276+00', 0, 'v1,XeON5A8nOa4CjtFsgHEB3kR1neUE0ipOfd0pDtMoMIY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05b6-7126-a685-9f6a3022bdf2', 1, '2026-11-23 05:44:17.705855+00', 0, 'v1,71Ityu5b1vD+MA02orrtnrWJL8DimyQzP4JulyJSB0o=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05b6-7158-b32a-e94b25031a53', 1, '2026-11-23 05:44:17.719962+00', 0, 'v1,4BYSSwe85slSJH4jgptcO6+LQTxL+m2BINphCUXsRY0=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05ce-7869-8f7d-76ccb8aca39e', 1, '2026-11-23 05:44:17.734528+00', 0, 'v1,qpwWtBPoXi3yb0UD1a8EsN0meSKyyH+sxTAkMejaeV0=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05ce-79eb-af3a-1d894efb0979', 1, '2026-11-23 05:44:17.748802+00', 0, 'v1,w5OR8UNCWFpsYJGNMGdcpf0YKtcS8/5ZAaibd2gsnQo=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05fc-746a-978f-444929256f1c', 1, '2026-11-23 05:44:17.762187+00', 0, 'v1,jKRQYRcfTsbieh/5+vmAh0IhM8q1X/fgLbv5hxSvarI=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05fc-7a79-b8f3-8ae804dc954e', 1, '2026-11-23 05:44:17.77819+00', 0, 'v1,01R50mTJgkLGbrGDiJSATCqrjd3hjRkf8A6LD3w7O3E=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0613-7e71-8b0a-bd65832a31f7', 1, '2026-11-23 05:44:17.814886+00', 0, 'v1,3E/gVHQDBovKgc0JuX5uRskLKFLdWiAaRmgvOe3j4bg=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0613-7c8b-8685-65b29b6a5958', 1, '2026-11-23 05:44:17.828893+00', 0, 'v1,P4d/3cYgbtk113gJBCYGiFZvKCYJRRfukQwSnibXqRg=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0625-7829-8903-b6dfa1d24e73', 1, '2026-11-23 05:44:17.846412+00', 0, 'v1,ZvFY6ua10SGNDPjOZmmfV/bBEKZjqKUGhQzXiQgUFfE=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0640-781f-9ef8-ad730a3a8b78', 1, '2026-11-23 05:44:17.860292+00', 0, 'v1,f3HdhhBFKAEmWJ82UYmHIifdQirXWybpqbAElD97V7M=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0650-7bb2-98d1-60e67ce0b019', 1, '2026-11-23 05:44:17.874382+00', 0, 'v1,3ysz6HiKveHiNbcnCtN245clBJ7xv376YPVDRlecKTE=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-067c-7fea-84ce-b681d8adf5fb', 1, '2026-11-23 05:44:17.887429+00', 1, 'v1,/8k3g1/9ztrwhBLNfjwvQkAzchNcs8u44qnlXwfbkyQ=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-069a-7edc-b623-b5abc67847cd', 1, '2026-11-23 05:44:17.90021+00', 0, 'v1,o3IfIBPtCicgEbu8HSiwvm9bOKu5GVOZrwix6kMLu/8=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-06ae-7abb-a4f9-45c2031285b8', 1, '2026-11-23 05:44:17.914017+00', 0, 'v1,RdIcUTRALJcmttGoer5InLBES1PV5ryYQ/StW54U5h4=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-06ae-7a34-be08-7d2a6f36ed62', 1, '2026-11-23 05:44:17.926431+00', 0, 'v1,DXrqJNMSUP27i1rLpsRsrGmDy0YZ5mwIuHQ9sDvROLY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-06d8-7ad3-a5fc-004ae25ee911', 1, '2026-11-23 05:44:17.941572+00', 0, 'v1,3TkkYDhijXUneA9BiyaySfmSf/zMIZexpzqpq6tkPdM=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-071a-7965-b303-b2ed022182b0', 1, '2026-11-23 05:44:17.952625+00', 0, 'v1,nIcQxLEzrO6QMXrCvmJZ+VIKmU1F8WU6wnIWBb/ucFQ=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0741-71ee-9925-f2385d3c33d4', 1, '2026-11-23 05:44:17.990934+00', 0, 'v1,+lYHYwHBLwLDYrMfecf3n7g8nFLWmIxpPxwHTH7i07Q=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0753-70bf-8785-12f90698725a', 1, '2026-11-23 05:44:18.009352+00', 0, 'v1,eIlf8kmX4LwMX6DKIQ7xobsBS3lwr4GFFJ32IyElwwg=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0764-762d-8a93-19737611faee', 1, '2026-11-23 05:44:18.026049+00', 0, 'v1,tVo9H2hV0BIlDnKRe5ekXTHOM20/76jTiBHpOgz9/CE=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0764-7e5e-8ab3-9a442e3aaeb7', 1, '2026-11-23 05:44:18.038789+00', 0, 'v1,f705opMNFgx9yiRXHhQg/9X41Cq2PZW6Ykl+yHZbOpU=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-079c-77fa-a59b-cba0eea56453', 1, '2026-11-23 05:44:18.081958+00', 0, 'v1,l3mkilhpSNv2EO/eZJ26ls6gBasDw1BhLuwfcZLtQuc=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0811-733f-a215-2cf911f52a45', 1, '2026-11-23 05:44:18.199219+00', 0, 'v1,pIFCZMeF2Ot5bphasEKEgRRg5ArbXtzi1n3ssWYm1GM=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-083c-7d54-8380-9e599354769a', 1, '2026-11-23 05:44:18.241048+00', 0, 'v1,EoQ4dLUbiZ4/k5XElDoH0XIAH4LZF9TWx/N4CyiDMVY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-084f-79a3-882e-2bf0d27810fa', 1, '2026-11-23 05:44:18.261313+00', 0, 'v1,1VhR2T+ApXRswsxQ33DCXcSv+49lysIzAxx3BqQM5Gs=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0864-7410-b087-60720543a1be', 1, '2026-11-23 05:44:18.28155+00', 0, 'v1,LcUNjcoMpCzo+v3S0xl2v9K7Wb/EE74owfKWOkoWJ9Q=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0864-7987-a769-2e363353178a', 1, '2026-11-23 05:44:18.293958+00', 0, 'v1,/PWiEYXu0LJvtQKbh8vSP5zDZKoBEShJIBspLQYs1UI=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0897-7330-b2b1-fd5553e5a387', 1, '2026-11-23 05:44:18.332911+00', 0, 'v1,68xVym+6gcjQANsx+RTgGxNMQG9tSLovK8x99Kkw1iI=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-02a7-74f6-a37d-6f4f109b7d77', 2, '2026-11-23 05:44:22.144834+00', 0, 'v1,Aq87ZhLJ6XfbgcJ6FzuW9y5vivdqdizDPyykw7PLO6U=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-02a7-7ccc-8fe5-899beacfe129', 2, '2026-11-23 05:44:22.178646+00', 0, 'v1,Yk/k2BYUqiHK3hR1j7J+kMOpY+I0VSzjPVoRJMCmQpM=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-02a7-7775-a294-a76b2c482b1b', 2, '2026-11-23 05:44:22.224213+00', 0, 'v1,H7HQZtf5QXw6d85pxelfMevTjYmLTPdGwDytRQr7RW0=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0519-7f01-8ec2-159e42afb6e0', 2, '2026-11-23 05:44:22.538463+00', 0, 'v1,Zdz5SEnrcVuU2/HreGbxSQkC19d6BI6uL55fltjh2hI=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0542-714c-ae20-2dab9d61d951', 2, '2026-11-23 05:44:22.564735+00', 0, 'v1,dH4Co4e8ZwWkqDfncD6FlMLapWEFjPqSacpCEANHXVM=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0542-7c8e-92c1-5127bb32d6c4', 2, '2026-11-23 05:44:22.626368+00', 0, 'v1,OmyTdAiYHVsdP3jddzTIf19b7L434TRCknzEaBokNLQ=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-04fd-7b9c-9357-7f73d6c45dc1', 2, '2026-11-23 05:44:22.684829+00', 0, 'v1,ASp5S6A0MXEGpxSRb9+ICnyRNDcKzRclr+Q6zmRUJyc=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0583-773f-875f-2fe761638736', 2, '2026-11-23 05:44:22.806532+00', 0, 'v1,ZBZjc3fBLE9c3zDFFyBJrYQJ8nEG4WMFt08h/QEExuY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0542-741d-923f-dda24df106d9', 2, '2026-11-23 05:44:22.834421+00', 0, 'v1,rSibk+XrUDLgd5UCAQHIb6OdInnlVcj7u9CJNzmuGRo=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05b6-7126-a685-9f6a3022bdf2', 2, '2026-11-23 05:44:22.862597+00', 0, 'v1,zqUSqsdtfEdy+cI8lDkBjEMUaTfXe+Zl1fKfxlC8Yfo=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05fc-7a79-b8f3-8ae804dc954e', 2, '2026-11-23 05:44:22.897452+00', 0, 'v1,2VNjqzM+q2nNph1whR4QOcY92L8cUyepszKmDiyCqS8=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-069a-7edc-b623-b5abc67847cd', 2, '2026-11-23 05:44:24.497884+00', 0, 'v1,RXYHt98YY+GDdwc5mRl10DWohOEK3QIcVCzltNOOp4M=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0613-7c8b-8685-65b29b6a5958', 2, '2026-11-23 05:44:24.520458+00', 0, 'v1,O9LiNRJ+D3vt150zgjwedadc4DpOe0x12cpjhR/eCwY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05b6-7873-b8c1-3d22509bc497', 2, '2026-11-23 05:44:24.547733+00', 0, 'v1,yzNBbJwFQQRsmRQ/KI6RA5DZ4RuPTdWlxgfdEHVcjtE=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0558-78ae-854a-1ba9f2277068', 2, '2026-11-23 05:44:24.607555+00', 0, 'v1,1a2lRmsuBQb9xL7mUN1Fkx2Rv4MVgDCPqDwhx5ctsFg=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05b6-79cf-b9ea-5b7eac39ec9f', 2, '2026-11-23 05:44:24.639706+00', 0, 'v1,4e7Xy/cGfq6M0iCOe/LOpmt0Ty/hhuxV6ahMwSln7tU=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-06ae-7abb-a4f9-45c2031285b8', 2, '2026-11-23 05:44:24.738546+00', 0, 'v1,IhBSuE6E4hFwoKNCD992naS82dWCxwVhE4TVQAqp5ho=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0764-762d-8a93-19737611faee', 2, '2026-11-23 05:44:24.802928+00', 1, 'v1,+ImFpVueRZNbNfYssYk5Afu6HTKQESrTwF9Yw8YeR+o=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0764-7e5e-8ab3-9a442e3aaeb7', 2, '2026-11-23 05:44:24.836708+00', 1, 'v1,b3UfCfHA4dVqnCiKR87X7njQ8jp3YnU60HyFE6y7ViQ=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0650-7bb2-98d1-60e67ce0b019', 2, '2026-11-23 05:44:24.851724+00', 0, 'v1,0OGLgaGeRmfZRd52T2+a3rSmV7ahB8msir1oFA3/CrA=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-06ae-7a34-be08-7d2a6f36ed62', 2, '2026-11-23 05:44:24.941926+00', 0, 'v1,BE6eJmQCsCX8dfy1uSVhGn+FlUbud2vZN5ZGaf4yFI0=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0897-7330-b2b1-fd5553e5a387', 2, '2026-11-23 05:44:24.957659+00', 0, 'v1,gSLcI+9QhOW2+5CyQDiTRdgfDf8yLOExHs4FVG+L/I8=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-20c8-7e77-8f0e-fa2a8046fd13', 1, '2026-11-23 05:44:25.029346+00', 0, 'v1,CFhPhyOywtqzZAkEMGybAOc1Y+EgMPoFnrmag7su7Yc=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-222b-74a8-a41b-e93212629df6', 1, '2026-11-23 05:44:25.152858+00', 0, 'v1,ln4LNE3Mvrw8t1qTCFldRGdFa4nCRXMZAClabjb6FAU=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-222b-7b45-9e45-28cd96e58144', 1, '2026-11-23 05:44:25.183208+00', 0, 'v1,Sksk+agJ+MBmqUGt4SZODuPb2kv54sNu6lDlzxsJuIQ=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-222b-7e23-b62a-bbbd369dfed0', 1, '2026-11-23 05:44:25.240952+00', 0, 'v1,2voSQEQPNtATpNo5RRr92iAEntS6i1K0V+EYyMn3Ozk=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-222b-74a5-907d-c850ce5177b2', 1, '2026-11-23 05:44:25.255041+00', 0, 'v1,QZH3CjpFyAmcFZXjRg/oSTTjWJcAlQTjprGGohaoN4w=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2274-72d6-8671-ee8088c14e1f', 1, '2026-11-23 05:44:25.311909+00', 0, 'v1,3lmTUB+Y7FLR5gqhBOdHWgd0fWvEoZvuFhLzt89Hm2k=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-22e8-7b46-9b98-3191965ef36b', 1, '2026-11-23 05:44:25.353788+00', 0, 'v1,yQd/+bXERQpLvfMjIWD3G2Ci1THQIpRq/H7BQ2JXwJk=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-22e8-7656-bcd2-9ce04eaaf189', 1, '2026-11-23 05:44:25.366946+00', 0, 'v1,VDu9xfeDE3ECie+DjxlS+heDjpgyT55tpFT/hwYj97k=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2391-78c1-96bd-cac663ea0ca0', 1, '2026-11-23 05:44:25.422631+00', 0, 'v1,95WGfHybul6e8zj7io2Sm3t6X+v62RKDz2UZAfNsYqw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2391-7c13-b147-528a86030639', 1, '2026-11-23 05:44:25.456815+00', 0, 'v1,X5WlVfR/fPw/G96RVOsosOcmio/DthMjH3DGvHYfMZI=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2563-73f7-b565-00e208ad697d', 1, '2026-11-23 05:44:25.704378+00', 0, 'v1,f1oBsMwRwzoldg9M+aZlJsnZV8lAgSqR6ogD0F1PPAw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2563-78db-80b1-3ce763cdf213', 1, '2026-11-23 05:44:25.717507+00', 0, 'v1,x1KW9W129JYfR/45nJ6J1R2JAe0bfVSnhE5G6YOw+NM=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2678-7537-8d8f-31123cf4f5c7', 1, '2026-11-23 05:44:26.054839+00', 0, 'v1,U8Q3fheMlixdCmGfAZ69ZrjUtMQ3ZHazCOrpzSi61Qc=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2678-77b0-a410-662355930642', 1, '2026-11-23 05:44:26.069074+00', 0, 'v1,kE4j9F+gmgonCq/jfFIop46cUkb5+nOXn7lo7cYourg=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2678-78e7-acad-9bad4511395f', 1, '2026-11-23 05:44:26.096481+00', 0, 'v1,GN3rg6V75rN13znQ6txWCGOcrb4t5MHYStT/8GNvbKs=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-056e-7309-a21e-74d38a06fe0a', 2, '2026-11-23 05:44:24.560317+00', 0, 'v1,jGqrdwodkQlL7Fh6DOHR+6poZx+DqLG9XVOFQrBsgaA=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0542-7f43-b440-c827976bc6c4', 2, '2026-11-23 05:44:24.577986+00', 0, 'v1,kyVveTRnJmwZOK77WzOLR6gs0Ksvd9zeIJ+8bfgn3Ho=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05b6-7158-b32a-e94b25031a53', 2, '2026-11-23 05:44:24.593742+00', 0, 'v1,PfhznPVcoPt/DXwOfYi97vk9MwA7u5sQj0FGKbQ7roY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-067c-7fea-84ce-b681d8adf5fb', 2, '2026-11-23 05:44:24.619689+00', 0, 'v1,dV+pt4NBMchv66ekhkygv8kIxOT/uuMJqQ5/zdIRUNI=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0625-7829-8903-b6dfa1d24e73', 2, '2026-11-23 05:44:24.653873+00', 0, 'v1,0V6Pvava5HZioGDTSAG0jBL4xqAQ6p3fCbF+zwlVCDY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05ce-7869-8f7d-76ccb8aca39e', 2, '2026-11-23 05:44:24.670991+00', 1, 'v1,GckxG1+Tb+CeMEv2ib/RweShws4nNzjYgyxjWXIi1tM=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05fc-746a-978f-444929256f1c', 2, '2026-11-23 05:44:24.684722+00', 0, 'v1,7rBNci/M7TYv7jHcOsOZYmMq6M3XIDZewCCmdFvFdRw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0741-71ee-9925-f2385d3c33d4', 2, '2026-11-23 05:44:24.699289+00', 0, 'v1,zi4WTNnXxKDrBdiMD6vr13B87W2uOuFj32k9r7Gu2yg=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-059c-7b8a-b171-fe25c3a8c493', 2, '2026-11-23 05:44:24.711708+00', 0, 'v1,cND0y9RdIO1tBDE8qBuAPUxpekEYvYNCKbRz2cbd6o0=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0753-70bf-8785-12f90698725a', 2, '2026-11-23 05:44:24.72553+00', 0, 'v1,DJhhaQ9+iu9PVCN4vBi7Dp2W7TfTyEKuSQkVMOh4Z7w=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-079c-77fa-a59b-cba0eea56453', 2, '2026-11-23 05:44:24.75155+00', 0, 'v1,pKMuILU8HCrq2Q0r0xrb/Xhx0gFjOBGhvehmbqjMgr4=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-06d8-7ad3-a5fc-004ae25ee911', 2, '2026-11-23 05:44:24.768624+00', 0, 'v1,oYAUHYcsO02Av4jO38ZXUscmFpB12NQo33M9TMyZIns=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-05ce-79eb-af3a-1d894efb0979', 2, '2026-11-23 05:44:24.784209+00', 1, 'v1,yW02SZCsnrkJ857JL5Fpun4bz3FQMfuFMV4ryOi68S4=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0613-7e71-8b0a-bd65832a31f7', 2, '2026-11-23 05:44:24.818239+00', 0, 'v1,shHYkfHEvC/JDjwPKB2HNZ+LCt7uqKpxiTTMfIHd0XY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0640-781f-9ef8-ad730a3a8b78', 2, '2026-11-23 05:44:24.865103+00', 0, 'v1,e4ZQ5uhPvWghSTp87r9wWs67r3WlCnHt0yV6KQUqM38=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-071a-7965-b303-b2ed022182b0', 2, '2026-11-23 05:44:24.882787+00', 0, 'v1,ZaX1wfbu87+GAH8eRG9H4PcVh9QeZ8M+MA5iqY7u1Tw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-084f-79a3-882e-2bf0d27810fa', 2, '2026-11-23 05:44:24.895633+00', 0, 'v1,zLl5aMxvavmyXJXBJ0/MaFmi+eqQCoLLs5ANuBV7itk=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0864-7987-a769-2e363353178a', 2, '2026-11-23 05:44:24.911461+00', 0, 'v1,0wEFawxUZnFJ7770nmssEqbwfbYaUb+SNC9NFRAFqT8=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-0864-7410-b087-60720543a1be', 2, '2026-11-23 05:44:24.926564+00', 0, 'v1,HTCjQrGWqM+wV8wii6Zz+sjLVL4j+Vu+QPUtiFe3ws4=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-083c-7d54-8380-9e599354769a', 2, '2026-11-23 05:44:24.970367+00', 0, 'v1,VTexiNbh+5tkWXMU5ovvJohAhPJJkTmEeWl3f8zASe8=', NULL, 'Connection refused (os error 111)', NULL);
INSERT INTO public.webhook_attempts VALUES
	('01a206ef-0811-733f-a215-2cf911f52a45', 2, '2026-11-23 05:44:24.986258+00', 0, 'v1,yDjNgKwtILFQcTmGWy3jQoLrnaQvmBCtRrUjWcwCmPU=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-20c8-7807-b543-ccad61c21e65', 1, '2026-11-23 05:44:24.999342+00', 0, 'v1,Z/gYk00LhVo7ql00HUpMX7C3yprSbAqRBgReAax22Xs=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-20c8-7a20-b3d2-893b5f33fc56', 1, '2026-11-23 05:44:25.013164+00', 0, 'v1,d9Sqnd37ZHu5zugyzwWV5WcTj83LN6Un1eJQYDowPBE=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-20c8-7b2b-98e3-72f2a1d0a802', 1, '2026-11-23 05:44:25.045954+00', 0, 'v1,OKN4btqSp+w0+4mtHz1yYSCEvjvJCmy0N+R3xaW8aU4=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2143-75b2-a84f-029573f42b0e', 1, '2026-11-23 05:44:25.061372+00', 0, 'v1,sRDOUHq7ThNnVkIMvufUjA+4CHaqv6ysKauDJzLI9bk=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2171-7759-819d-094b9ab1c446', 1, '2026-11-23 05:44:25.070787+00', 0, 'v1,YY9ePNFaxeK0y5fZLdmI66r611Zw5oN+p29mEVV1iWc=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2171-79b3-9cc1-804ee5604b11', 1, '2026-11-23 05:44:25.086865+00', 0, 'v1,w/ZfMa2gr4OtxJ6UzJtyHIo7o21FPQckpRp8RvOzupM=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2171-7f78-af0c-42644eac3838', 1, '2026-11-23 05:44:25.098666+00', 0, 'v1,h9GlNJ9KyDsfcWVPnqD0hKr0hOm9FukEbdm02w0CdXs=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2171-7c14-bd3e-7e20006f515e', 1, '2026-11-23 05:44:25.112689+00', 0, 'v1,c5TGn9wSYm4P0wJfOAKYYfZ+Kch+kqaB078JtBWjDII=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2171-74be-919e-e80d1c63696c', 1, '2026-11-23 05:44:25.125182+00', 0, 'v1,M8B2xp2kw+g2dxjzuncerpPRqdr2b4Qcnppx8Y32zGg=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-21cf-700f-a6fc-6ce5e2ec6b96', 1, '2026-11-23 05:44:25.139271+00', 0, 'v1,Xh2COHx1GsQXoWu/P1yBrrhEQRhluMMDJZv+qZrEzVE=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-222b-7f04-a0eb-422604fd9f87', 1, '2026-11-23 05:44:25.16937+00', 0, 'v1,TRKP4QCeC5v8Kr3sK5OyKvp5yy2NqMestXZBR41/BRI=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-222b-7d46-b093-755965d530bb', 1, '2026-11-23 05:44:25.199425+00', 0, 'v1,FMRPjig5WS0Ojy4OpNeL0KlTvf4e3qtJP/PXrPOWvBs=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-222b-7da1-8065-ee85700f57cf', 1, '2026-11-23 05:44:25.214407+00', 0, 'v1,Enfs7q1hQPBMIQy9lr+qmTaur3Nj2SWrCHYlRLcRT5M=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-222b-7d91-abb7-1d8c9701f4d7', 1, '2026-11-23 05:44:25.228808+00', 0, 'v1,tcKfG2Va67fpNqMmfcXy7QAEZkPxBYqcCKeNNjW2M3k=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2246-7ab9-883a-eca14d351459', 1, '2026-11-23 05:44:25.268763+00', 0, 'v1,3FTXUX3cJ665P7Ki8i9SARwpEBnFlh9NXNx8Fg8OeyY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2246-7b9b-a6b9-0bbc4e6967e6', 1, '2026-11-23 05:44:25.282583+00', 0, 'v1,VOhjJAY8KWjQ4fRMA8GL9hzH126IDr/GJaeXT0+ez20=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2274-7c59-b895-50aa730ab9a6', 1, '2026-11-23 05:44:25.295635+00', 0, 'v1,d2jOlnmwRTG1A3hWbCJ8ic73jDfl2LNTatp3oYzPWTc=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2274-75f5-bb46-3f1be0e8916a', 1, '2026-11-23 05:44:25.325306+00', 0, 'v1,nIfYDEFwJFCjYnyEjgAktwhrlEUUEoGUwtJruuDIjhY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-22e8-70b8-a597-a19c51aa12ee', 1, '2026-11-23 05:44:25.340377+00', 0, 'v1,332/BjtDGIfYffh+Dv9KpW0boLUFFT1nagW2fdUFvB4=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2301-7f63-9765-047096bf06fb', 1, '2026-11-23 05:44:25.380789+00', 0, 'v1,j6KfazBJ5gaHXnwG/rtAcky5r6hG8G3vrrTBPgRk4Rs=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2301-705a-b93e-f96e0b065bbd', 1, '2026-11-23 05:44:25.39565+00', 0, 'v1,KA4RHfINWk2jmwx5UnoYY5t6lFJsW1RUHelOBXl40bk=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2301-70da-bb33-771060e07f15', 1, '2026-11-23 05:44:25.408973+00', 0, 'v1,12HkhqBLT7heM3k26TVvAp74jjN2TICFMIPXPyDR4B0=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2391-78b1-8ed5-a3e3d2b4ad9c', 1, '2026-11-23 05:44:25.438435+00', 0, 'v1,XhFzKYKQdPP6EchEZUa3gsly6U2otGlCgr/RRx0IppQ=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-23fd-7181-96c7-ff012ffa8d4e', 1, '2026-11-23 05:44:25.486996+00', 0, 'v1,t7coWZd4bgQGWWtm1gucYUpJMfv5UDVN+lsASSFMTd0=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-23fd-7f46-8436-59585790fd12', 1, '2026-11-23 05:44:25.500651+00', 0, 'v1,LtgtmR7yBABy5TOZFzoWe3U2nilHlztyFCtozFlbkxA=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-23fd-79bd-ba3d-4659ff87d1ad', 1, '2026-11-23 05:44:25.514311+00', 0, 'v1,Pu89+i/I+AKKXrE0n5yhwu5Ej6gV5lsrrAwGbGGqiJY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2477-7f83-bd83-2d76a4b26456', 1, '2026-11-23 05:44:25.526823+00', 0, 'v1,nlsqTlmhof2saFEVyAbAPb2j1l8WNTTC/TGbSDpEd2U=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-25d2-7094-ad49-be0d991cb654', 1, '2026-11-23 05:44:25.815967+00', 0, 'v1,yVzNUa881q0dEeh6nGaGFkg37T9DhgWguBf7LGNRixw=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2642-762e-b46b-292e754d2c30', 1, '2026-11-23 05:44:25.940368+00', 0, 'v1,2cG5VMyH9kD+NxUSofL0XlGpw2HsAbTDiH4punxPtPo=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2642-7421-8d7b-47f31a518ab6', 1, '2026-11-23 05:44:25.98388+00', 0, 'v1,RRshgWhM2mC0ZcxQ6C8ZXNC1x5ezyLsDYSbrtp3HqEo=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2642-7623-a734-27513d270c11', 1, '2026-11-23 05:44:26.012775+00', 0, 'v1,RwHd/vs21pzdKuakJBW/KU5TJQ2U16u3Xn49sgb4o80=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2642-7f89-a17b-bcbbf75e84c0', 1, '2026-11-23 05:44:26.029713+00', 0, 'v1,y8vtryx0pb8tpXamjZxhu52TLjBG64eDSwKJLB+Bnm8=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-265a-74de-a6a1-41dca990a445', 1, '2026-11-23 05:44:26.042344+00', 0, 'v1,ALxouhLQuM7hNx2c+oKF1FK96d9oZe9GLVu6o6vVy08=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2678-764f-aaf1-3bc7b126198a', 1, '2026-11-23 05:44:26.083481+00', 0, 'v1,M6CDPTKjDYQHFMBf9PJ8uGe6/NBahQ0h3MBpnN/aab0=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2678-765e-b43a-081711bd2fd5', 1, '2026-11-23 05:44:26.110073+00', 0, 'v1,KmsJBumd/FQhnfpfwGhMCOGwy1en5Xk/EHzqaH0BEpY=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2692-7b17-bc8f-821788888ecb', 1, '2026-11-23 05:44:26.125436+00', 0, 'v1,lyYS4Mwf01yxS96aQhqxbyWhzOqi1+OEL+uaZK9vZGE=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-26ab-7c0f-a4e0-39a96837e717', 1, '2026-11-23 05:44:26.138726+00', 0, 'v1,YvlkAQNuSOCRtwz3Y0uZrORuEVLpqaIngBEvzyp/YZ8=', NULL, 'Connection refused (os error 111)', NULL),
	('01a206ef-2caa-7286-afe2-3e9b060f57ee', 1, '2026-11-23 05:44:27.586827+00', 0, 'v1,DQ/hgnZPymofYwWOaPni2eE8dIaRvCJz9KyNYuxCHDI=', NULL, 'Connection refused (os error 111)', NULL);



INSERT INTO public.webhook_deliveries VALUES
	('01a206ef-02a7-74f6-a37d-6f4f109b7d77', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 3, '01a206ef-0123-729d-a4b6-082b8041837a', 'template.submitted', 'pending', 2, 2, '2026-11-23 05:49:48.199735+00', '2026-11-23 05:44:16.807576+00', NULL),
	('01a206ef-02a7-7ccc-8fe5-899beacfe129', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 1, '01a206ef-00f5-7fba-baba-af8264c88c43', 'connection.created', 'pending', 2, 2, '2026-11-23 05:49:43.726781+00', '2026-11-23 05:44:16.807576+00', NULL),
	('01a206ef-02a7-7775-a294-a76b2c482b1b', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 2, '01a206ef-010a-7ff4-acdf-0b82d9ff0ee8', 'template.submitted', 'pending', 2, 2, '2026-11-23 05:49:42.027341+00', '2026-11-23 05:44:16.807576+00', NULL),
	('01a206ef-0519-7f01-8ec2-159e42afb6e0', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 5, '01a206ef-0513-729d-a4b6-082b8041837c', 'template.rejected', 'pending', 2, 2, '2026-11-23 05:49:40.925776+00', '2026-11-23 05:44:17.433041+00', NULL),
	('01a206ef-0542-714c-ae20-2dab9d61d951', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 8, '01a206ef-053b-74bb-9a77-0ef953a09214', 'message.queued', 'pending', 2, 2, '2026-11-23 05:49:36.670958+00', '2026-11-23 05:44:17.474241+00', NULL),
	('01a206ef-0542-7c8e-92c1-5127bb32d6c4', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 7, '01a206ef-053b-79c9-9be8-3934d4c93922', 'conversation.created', 'pending', 2, 2, '2026-11-23 05:49:32.721564+00', '2026-11-23 05:44:17.474241+00', NULL),
	('01a206ef-04fd-7b9c-9357-7f73d6c45dc1', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 4, '01a206ef-04f4-7ff4-acdf-0b82d9ff0eee', 'template.approved', 'pending', 2, 2, '2026-11-23 05:49:30.285148+00', '2026-11-23 05:44:17.405583+00', NULL),
	('01a206ef-0583-773f-875f-2fe761638736', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 12, '01a206ef-056f-7975-8c35-20ce82b898f0', 'message.queued', 'pending', 2, 2, '2026-11-23 05:49:32.743814+00', '2026-11-23 05:44:17.539887+00', NULL),
	('01a206ef-0542-741d-923f-dda24df106d9', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 9, '01a206ef-053b-79c9-9be8-3934d4c9392c', 'conversation.agent_paused', 'pending', 2, 2, '2026-11-23 05:49:44.563364+00', '2026-11-23 05:44:17.474241+00', NULL),
	('01a206ef-05b6-7126-a685-9f6a3022bdf2', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 16, '01a206ef-0595-7a3e-8b92-efb8a173bbf2', 'message.queued', 'pending', 2, 2, '2026-11-23 05:49:36.934923+00', '2026-11-23 05:44:17.590213+00', NULL),
	('01a206ef-05fc-7a79-b8f3-8ae804dc954e', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 21, '01a206ef-05f0-7399-bdc6-33b0a8001393', 'message.sent', 'pending', 2, 2, '2026-11-23 05:49:23.59505+00', '2026-11-23 05:44:17.660225+00', NULL),
	('01a206ef-069a-7edc-b623-b5abc67847cd', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 28, '01a206ef-0695-7399-bdc6-33b0a800139a', 'message.delivered', 'pending', 2, 2, '2026-11-23 05:49:50.070713+00', '2026-11-23 05:44:17.818304+00', NULL),
	('01a206ef-0613-7c8b-8685-65b29b6a5958', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 23, '01a206ef-060d-723c-9939-b618406abb4b', 'message.sent', 'pending', 2, 2, '2026-11-23 05:49:42.0665+00', '2026-11-23 05:44:17.68364+00', NULL),
	('01a206ef-05b6-7873-b8c1-3d22509bc497', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 15, '01a206ef-0595-7736-b4cf-35add201b07c', 'conversation.created', 'pending', 2, 2, '2026-11-23 05:49:38.158115+00', '2026-11-23 05:44:17.590213+00', NULL),
	('01a206ef-056e-7309-a21e-74d38a06fe0a', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 11, '01a206ef-0560-7399-bdc6-33b0a800138d', 'message.queued', 'pending', 2, 2, '2026-11-23 05:49:52.093322+00', '2026-11-23 05:44:17.518003+00', NULL),
	('01a206ef-0542-7f43-b440-c827976bc6c4', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 6, '01a206ef-053b-7564-b618-6a0dd10fdb00', 'contact.created', 'pending', 2, 2, '2026-11-23 05:49:38.505087+00', '2026-11-23 05:44:17.474241+00', NULL),
	('01a206ef-05b6-7158-b32a-e94b25031a53', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 17, '01a206ef-0595-7736-b4cf-35add201b062', 'conversation.agent_paused', 'pending', 2, 2, '2026-11-23 05:49:28.138185+00', '2026-11-23 05:44:17.590213+00', NULL),
	('01a206ef-0558-78ae-854a-1ba9f2277068', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 10, '01a206ef-054b-74d7-ae0b-b439640cf73e', 'message.queued', 'pending', 2, 2, '2026-11-23 05:49:50.104004+00', '2026-11-23 05:44:17.496156+00', NULL),
	('01a206ef-067c-7fea-84ce-b681d8adf5fb', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 27, '01a206ef-0677-74d7-ae0b-b439640cf72f', 'message.delivered', 'pending', 2, 2, '2026-11-23 05:49:29.639123+00', '2026-11-23 05:44:17.78852+00', NULL),
	('01a206ef-05b6-79cf-b9ea-5b7eac39ec9f', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 14, '01a206ef-0595-7ad7-abf3-b199e75a51f2', 'contact.created', 'pending', 2, 2, '2026-11-23 05:49:25.306995+00', '2026-11-23 05:44:17.590213+00', NULL),
	('01a206ef-0625-7829-8903-b6dfa1d24e73', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 24, '01a206ef-0621-7a3e-8b92-efb8a173bbfa', 'message.failed', 'pending', 2, 2, '2026-11-23 05:49:43.078713+00', '2026-11-23 05:44:17.701286+00', NULL),
	('01a206ef-05ce-7869-8f7d-76ccb8aca39e', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 18, '01a206ef-05b0-7a17-9643-edf761057f5c', 'message.queued', 'pending', 2, 2, '2026-11-23 05:49:53.986723+00', '2026-11-23 05:44:17.614355+00', NULL),
	('01a206ef-05fc-746a-978f-444929256f1c', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 20, '01a206ef-05f0-74d7-ae0b-b439640cf720', 'message.sent', 'pending', 2, 2, '2026-11-23 05:49:43.923389+00', '2026-11-23 05:44:17.660225+00', NULL),
	('01a206ef-0741-71ee-9925-f2385d3c33d4', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 33, '01a206ef-073f-74d7-ae0b-b439640cf715', 'message.read', 'pending', 2, 2, '2026-11-23 05:49:50.656837+00', '2026-11-23 05:44:17.985566+00', NULL),
	('01a206ef-059c-7b8a-b171-fe25c3a8c493', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 13, '01a206ef-0586-723c-9939-b618406abb51', 'message.queued', 'pending', 2, 2, '2026-11-23 05:49:30.941507+00', '2026-11-23 05:44:17.564967+00', NULL),
	('01a206ef-0753-70bf-8785-12f90698725a', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 34, '01a206ef-074e-7399-bdc6-33b0a80013a4', 'message.read', 'pending', 2, 2, '2026-11-23 05:49:50.958021+00', '2026-11-23 05:44:18.00374+00', NULL),
	('01a206ef-06ae-7abb-a4f9-45c2031285b8', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 29, '01a206ef-06a8-7975-8c35-20ce82b898e1', 'message.delivered', 'pending', 2, 2, '2026-11-23 05:49:37.41963+00', '2026-11-23 05:44:17.838267+00', NULL),
	('01a206ef-079c-77fa-a59b-cba0eea56453', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 37, '01a206ef-0799-7a17-9643-edf761057f6b', 'message.read', 'pending', 2, 2, '2026-11-23 05:49:45.874449+00', '2026-11-23 05:44:18.076512+00', NULL),
	('01a206ef-06d8-7ad3-a5fc-004ae25ee911', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 31, '01a206ef-06d3-7a17-9643-edf761057f51', 'message.delivered', 'pending', 2, 2, '2026-11-23 05:49:53.12193+00', '2026-11-23 05:44:17.880383+00', NULL),
	('01a206ef-05ce-79eb-af3a-1d894efb0979', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 19, '01a206ef-05c1-74bb-9a77-0ef953a0920f', 'message.sent', 'pending', 2, 2, '2026-11-23 05:49:35.312698+00', '2026-11-23 05:44:17.614355+00', NULL),
	('01a206ef-0764-762d-8a93-19737611faee', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 35, '01a206ef-0760-7975-8c35-20ce82b898df', 'message.read', 'pending', 2, 2, '2026-11-23 05:49:50.507377+00', '2026-11-23 05:44:18.020434+00', NULL),
	('01a206ef-0613-7e71-8b0a-bd65832a31f7', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 22, '01a206ef-060d-7975-8c35-20ce82b898ea', 'message.sent', 'pending', 2, 2, '2026-11-23 05:49:45.800162+00', '2026-11-23 05:44:17.68364+00', NULL),
	('01a206ef-0764-7e5e-8ab3-9a442e3aaeb7', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 36, '01a206ef-0760-723c-9939-b618406abb78', 'message.read', 'pending', 2, 2, '2026-11-23 05:49:26.274994+00', '2026-11-23 05:44:18.020434+00', NULL),
	('01a206ef-0650-7bb2-98d1-60e67ce0b019', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 26, '01a206ef-064c-74bb-9a77-0ef953a09206', 'message.delivered', 'pending', 2, 2, '2026-11-23 05:49:40.99373+00', '2026-11-23 05:44:17.74435+00', NULL),
	('01a206ef-0640-781f-9ef8-ad730a3a8b78', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 25, '01a206ef-063d-7a17-9643-edf761057f57', 'message.sent', 'pending', 2, 2, '2026-11-23 05:49:35.619914+00', '2026-11-23 05:44:17.728567+00', NULL),
	('01a206ef-071a-7965-b303-b2ed022182b0', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 32, '01a206ef-0715-74bb-9a77-0ef953a0923c', 'message.read', 'pending', 2, 2, '2026-11-23 05:49:39.249879+00', '2026-11-23 05:44:17.946383+00', NULL),
	('01a206ef-0864-7987-a769-2e363353178a', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 42, '01a206ef-085e-7c95-8216-dd2becb1e7dd', 'message.received', 'pending', 2, 2, '2026-11-23 05:49:45.963621+00', '2026-11-23 05:44:18.276305+00', NULL),
	('01a206ef-0864-7410-b087-60720543a1be', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 41, '01a206ef-085b-7076-9700-9d083464482d', 'message.received', 'pending', 2, 2, '2026-11-23 05:49:48.542511+00', '2026-11-23 05:44:18.276305+00', NULL),
	('01a206ef-06ae-7a34-be08-7d2a6f36ed62', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 30, '01a206ef-06a8-723c-9939-b618406abb42', 'message.delivered', 'pending', 2, 2, '2026-11-23 05:49:27.517286+00', '2026-11-23 05:44:17.838267+00', NULL),
	('01a206ef-0897-7330-b2b1-fd5553e5a387', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 43, '01a206ef-0893-7c93-aa5a-6316343fcf8f', 'message.received', 'pending', 2, 2, '2026-11-23 05:49:48.900911+00', '2026-11-23 05:44:18.327648+00', NULL),
	('01a206ef-083c-7d54-8380-9e599354769a', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 39, '01a206ef-0838-7ac5-94b7-45fda6e439aa', 'message.received', 'pending', 2, 2, '2026-11-23 05:49:50.126255+00', '2026-11-23 05:44:18.236183+00', NULL),
	('01a206ef-0811-733f-a215-2cf911f52a45', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 38, '01a206ef-080d-709e-bbd9-efe2ccebf11e', 'message.received', 'pending', 2, 2, '2026-11-23 05:49:34.713023+00', '2026-11-23 05:44:18.193712+00', NULL),
	('01a206ef-20c8-7807-b543-ccad61c21e65', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 44, '01a206ef-20b3-7f47-9fbf-661d163bdf15', 'contact.created', 'pending', 1, 1, '2026-11-23 05:44:30.011599+00', '2026-11-23 05:44:24.520846+00', NULL),
	('01a206ef-20c8-7a20-b3d2-893b5f33fc56', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 45, '01a206ef-20b3-7dad-9c32-4a7a4d0f4bf4', 'conversation.created', 'pending', 1, 1, '2026-11-23 05:44:30.448535+00', '2026-11-23 05:44:24.520846+00', NULL),
	('01a206ef-20c8-7e77-8f0e-fa2a8046fd13', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 46, '01a206ef-20b3-736f-b8fb-65aef9baa98a', 'message.queued', 'pending', 1, 1, '2026-11-23 05:44:30.376636+00', '2026-11-23 05:44:24.520846+00', NULL),
	('01a206ef-20c8-7b2b-98e3-72f2a1d0a802', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 47, '01a206ef-20b3-7dad-9c32-4a7a4d0f4bf6', 'conversation.agent_paused', 'pending', 1, 1, '2026-11-23 05:44:30.284681+00', '2026-11-23 05:44:24.520846+00', NULL),
	('01a206ef-2143-75b2-a84f-029573f42b0e', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 48, '01a206ef-2137-736f-b8fb-65aef9baa994', 'message.sent', 'pending', 1, 1, '2026-11-23 05:44:30.264585+00', '2026-11-23 05:44:24.643662+00', NULL),
	('01a206ef-2171-7759-819d-094b9ab1c446', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 49, '01a206ef-2152-7f47-9fbf-661d163bdf08', 'contact.updated', 'pending', 1, 1, '2026-11-23 05:44:30.42479+00', '2026-11-23 05:44:24.689972+00', NULL),
	('01a206ef-2171-79b3-9cc1-804ee5604b11', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 50, '01a206ef-2152-75e2-bd62-2dede9043b70', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.279+00', '2026-11-23 05:44:24.689972+00', NULL),
	('01a206ef-2171-7f78-af0c-42644eac3838', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 51, '01a206ef-215d-7864-9204-0b859fdc139d', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.215851+00', '2026-11-23 05:44:24.689972+00', NULL),
	('01a206ef-2171-7c14-bd3e-7e20006f515e', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 52, '01a206ef-216a-736f-b8fb-65aef9baa990', 'message.delivered', 'pending', 1, 1, '2026-11-23 05:44:30.58915+00', '2026-11-23 05:44:24.689972+00', NULL),
	('01a206ef-2171-74be-919e-e80d1c63696c', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 53, '01a206ef-216a-736f-b8fb-65aef9baa991', 'message.read', 'pending', 1, 1, '2026-11-23 05:44:30.183259+00', '2026-11-23 05:44:24.689972+00', NULL),
	('01a206ef-21cf-700f-a6fc-6ce5e2ec6b96', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 54, '01a206ef-21c3-75e2-bd62-2dede9043b74', 'message.edited', 'pending', 1, 1, '2026-11-23 05:44:30.608009+00', '2026-11-23 05:44:24.783392+00', NULL),
	('01a206ef-22e8-70b8-a597-a19c51aa12ee', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 68, '01a206ef-22dc-7ffd-a9ce-2b073b51ed43', 'contact.created', 'pending', 1, 1, '2026-11-23 05:44:30.43642+00', '2026-11-23 05:44:25.064855+00', NULL),
	('01a206ef-22e8-7b46-9b98-3191965ef36b', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 69, '01a206ef-22dc-702f-b16d-335f2ab590d4', 'conversation.created', 'pending', 1, 1, '2026-11-23 05:44:30.598207+00', '2026-11-23 05:44:25.064855+00', NULL),
	('01a206ef-22e8-7656-bcd2-9ce04eaaf189', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 70, '01a206ef-22dc-75dc-a5a3-6ccbd9493571', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.608669+00', '2026-11-23 05:44:25.064855+00', NULL),
	('01a206ef-2301-7f63-9765-047096bf06fb', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 71, '01a206ef-22f8-7818-9e5b-0b995612341a', 'contact.created', 'pending', 1, 1, '2026-11-23 05:44:30.477971+00', '2026-11-23 05:44:25.089353+00', NULL),
	('01a206ef-2301-705a-b93e-f96e0b065bbd', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 72, '01a206ef-22f8-725d-8e58-434a272fb28e', 'conversation.created', 'pending', 1, 1, '2026-11-23 05:44:30.669039+00', '2026-11-23 05:44:25.089353+00', NULL),
	('01a206ef-2301-70da-bb33-771060e07f15', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 73, '01a206ef-22f8-7ca1-8014-58e9009f9027', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.659545+00', '2026-11-23 05:44:25.089353+00', NULL),
	('01a206ef-2391-78c1-96bd-cac663ea0ca0', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 74, '01a206ef-237b-7ffd-a9ce-2b073b51ed4d', 'contact.merged', 'pending', 1, 1, '2026-11-23 05:44:30.753596+00', '2026-11-23 05:44:25.23388+00', NULL),
	('01a206ef-2391-78b1-8ed5-a3e3d2b4ad9c', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 75, '01a206ef-237b-7ffd-a9ce-2b073b51ed4c', 'contact.updated', 'pending', 1, 1, '2026-11-23 05:44:30.80685+00', '2026-11-23 05:44:25.23388+00', NULL),
	('01a206ef-2391-7c13-b147-528a86030639', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 76, '01a206ef-237b-7eba-a22c-d8689e9172cc', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.460079+00', '2026-11-23 05:44:25.23388+00', NULL),
	('01a206ef-2563-73f7-b565-00e208ad697d', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 81, '01a206ef-24e9-7c26-b8ff-97f202e179c9', 'template.submitted', 'pending', 1, 1, '2026-11-23 05:44:31.08559+00', '2026-11-23 05:44:25.699555+00', NULL),
	('01a206ef-2563-78db-80b1-3ce763cdf213', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 82, '01a206ee-7aaf-7c26-b8ff-97f202e179ca', 'template.approved', 'pending', 1, 1, '2026-11-23 05:44:30.730114+00', '2026-11-23 05:44:25.699555+00', NULL),
	('01a206ef-084f-79a3-882e-2bf0d27810fa', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 40, '01a206ef-0849-751e-b2df-10e67bc96535', 'message.received', 'pending', 2, 2, '2026-11-23 05:49:30.585699+00', '2026-11-23 05:44:18.255599+00', NULL),
	('01a206ef-222b-74a8-a41b-e93212629df6', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 55, '01a206ef-21de-7864-9204-0b859fdc1399', 'message.deleted', 'pending', 1, 1, '2026-11-23 05:44:30.159441+00', '2026-11-23 05:44:24.87555+00', NULL),
	('01a206ef-222b-7f04-a0eb-422604fd9f87', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 56, '01a206ef-21e8-7bbe-b962-b83e77b56f3e', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.261136+00', '2026-11-23 05:44:24.87555+00', NULL),
	('01a206ef-222b-7b45-9e45-28cd96e58144', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 57, '01a206ef-21f5-71f5-af65-3eccfaad0e2d', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.282465+00', '2026-11-23 05:44:24.87555+00', NULL),
	('01a206ef-222b-7d46-b093-755965d530bb', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 58, '01a206ef-2204-7df4-aa60-99ec232d9f2d', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.524222+00', '2026-11-23 05:44:24.87555+00', NULL),
	('01a206ef-222b-7da1-8065-ee85700f57cf', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 59, '01a206ef-2211-74f0-8032-5f90f341552d', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.548022+00', '2026-11-23 05:44:24.87555+00', NULL),
	('01a206ef-222b-7d91-abb7-1d8c9701f4d7', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 60, '01a206ef-2218-74a2-8e1c-36c0ea884d46', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.474834+00', '2026-11-23 05:44:24.87555+00', NULL),
	('01a206ef-222b-7e23-b62a-bbbd369dfed0', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 61, '01a206ef-221d-7bbb-b573-5bc4041a63d0', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.417815+00', '2026-11-23 05:44:24.87555+00', NULL),
	('01a206ef-222b-74a5-907d-c850ce5177b2', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 62, '01a206ef-2224-7392-b4bb-258c3dfb1f4b', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.653956+00', '2026-11-23 05:44:24.87555+00', NULL),
	('01a206ef-2246-7ab9-883a-eca14d351459', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 63, '01a206ef-2238-719d-ae0f-d4b6e60e15d0', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.527183+00', '2026-11-23 05:44:24.902264+00', NULL),
	('01a206ef-2246-7b9b-a6b9-0bbc4e6967e6', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 64, '01a206ef-223f-7af4-8240-21dce0ade8ce', 'message.sent', 'pending', 1, 1, '2026-11-23 05:44:30.452143+00', '2026-11-23 05:44:24.902264+00', NULL),
	('01a206ef-2274-7c59-b895-50aa730ab9a6', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 65, '01a206ef-2269-7191-83fc-080172a27c47', 'contact.created', 'pending', 1, 1, '2026-11-23 05:44:30.72579+00', '2026-11-23 05:44:24.948097+00', NULL),
	('01a206ef-2274-72d6-8671-ee8088c14e1f', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 66, '01a206ef-2269-7023-8414-70f480e9f5fc', 'conversation.created', 'pending', 1, 1, '2026-11-23 05:44:30.703417+00', '2026-11-23 05:44:24.948097+00', NULL),
	('01a206ef-2274-75f5-bb46-3f1be0e8916a', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 67, '01a206ef-2269-757e-ac25-f0013c0085f8', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.406263+00', '2026-11-23 05:44:24.948097+00', NULL),
	('01a206ef-23fd-7181-96c7-ff012ffa8d4e', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 77, '01a206ef-23f4-73ea-9ddd-5067bfd56dbd', 'contact.created', 'pending', 1, 1, '2026-11-23 05:44:30.577154+00', '2026-11-23 05:44:25.341976+00', NULL),
	('01a206ef-23fd-7f46-8436-59585790fd12', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 78, '01a206ef-23f4-734f-82d2-765557fb678c', 'conversation.created', 'pending', 1, 1, '2026-11-23 05:44:30.644051+00', '2026-11-23 05:44:25.341976+00', NULL),
	('01a206ef-23fd-79bd-ba3d-4659ff87d1ad', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 79, '01a206ef-23f4-7aad-8ad3-3ef9f1f16778', 'message.received', 'pending', 1, 1, '2026-11-23 05:44:30.663349+00', '2026-11-23 05:44:25.341976+00', NULL),
	('01a206ef-2477-7f83-bd83-2d76a4b26456', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 80, '01a206ef-2468-73ea-9ddd-5067bfd56da0', 'contact.updated', 'pending', 1, 1, '2026-11-23 05:44:30.85174+00', '2026-11-23 05:44:25.463144+00', NULL),
	('01a206ef-25d2-7094-ad49-be0d991cb654', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 83, '01a206ef-25cf-7c26-b8ff-97f202e179cb', 'template.updated', 'pending', 1, 1, '2026-11-23 05:44:30.863647+00', '2026-11-23 05:44:25.810482+00', NULL),
	('01a206ef-2642-762e-b46b-292e754d2c30', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 84, '01a206ef-263c-7041-af9f-16d03432d4f9', 'contact.created', 'pending', 1, 1, '2026-11-23 05:44:31.039361+00', '2026-11-23 05:44:25.92203+00', NULL),
	('01a206ef-2642-7421-8d7b-47f31a518ab6', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 85, '01a206ef-263c-724a-97b9-a9f653740b07', 'conversation.created', 'pending', 1, 1, '2026-11-23 05:44:31.291843+00', '2026-11-23 05:44:25.92203+00', NULL),
	('01a206ef-2642-7623-a734-27513d270c11', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 86, '01a206ef-263c-7205-ab67-d671eb0b05b6', 'message.queued', 'pending', 1, 1, '2026-11-23 05:44:31.442571+00', '2026-11-23 05:44:25.92203+00', NULL),
	('01a206ef-2642-7f89-a17b-bcbbf75e84c0', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 87, '01a206ef-263c-724a-97b9-a9f653740b05', 'conversation.agent_paused', 'pending', 1, 1, '2026-11-23 05:44:31.073579+00', '2026-11-23 05:44:25.92203+00', NULL),
	('01a206ef-265a-74de-a6a1-41dca990a445', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 88, '01a206ef-2648-78cb-90c9-2548136f4701', 'message.queued', 'pending', 1, 1, '2026-11-23 05:44:31.254069+00', '2026-11-23 05:44:25.946045+00', NULL),
	('01a206ef-2678-7537-8d8f-31123cf4f5c7', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 89, '01a206ef-2650-7834-8147-c9e177dcb629', 'account.updated', 'pending', 1, 1, '2026-11-23 05:44:31.32215+00', '2026-11-23 05:44:25.976962+00', NULL),
	('01a206ef-2678-77b0-a410-662355930642', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 90, '01a206ef-265c-736b-b24a-77c5f203f646', 'contact.created', 'pending', 1, 1, '2026-11-23 05:44:31.335096+00', '2026-11-23 05:44:25.976962+00', NULL),
	('01a206ef-2678-764f-aaf1-3bc7b126198a', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 91, '01a206ef-265c-7f80-aea3-7c3ee4366aa0', 'conversation.created', 'pending', 1, 1, '2026-11-23 05:44:31.399662+00', '2026-11-23 05:44:25.976962+00', NULL),
	('01a206ef-2678-78e7-acad-9bad4511395f', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 92, '01a206ef-265c-745e-bde9-b6d514f559b0', 'message.queued', 'pending', 1, 1, '2026-11-23 05:44:31.306755+00', '2026-11-23 05:44:25.976962+00', NULL),
	('01a206ef-2678-765e-b43a-081711bd2fd5', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 93, '01a206ef-265c-7f80-aea3-7c3ee4366aa6', 'conversation.agent_paused', 'pending', 1, 1, '2026-11-23 05:44:31.387908+00', '2026-11-23 05:44:25.976962+00', NULL),
	('01a206ef-2692-7b17-bc8f-821788888ecb', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 94, '01a206ef-2674-7118-aa89-0d7ada3224d5', 'message.queued', 'pending', 1, 1, '2026-11-23 05:44:31.279685+00', '2026-11-23 05:44:26.002466+00', NULL),
	('01a206ef-26ab-7c0f-a4e0-39a96837e717', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 95, '01a206ef-26a4-7d90-b10b-5ebc8ad9ff58', 'account.updated', 'pending', 1, 1, '2026-11-23 05:44:31.595081+00', '2026-11-23 05:44:26.02771+00', NULL),
	('01a206ef-2caa-7a48-be20-d6f42bce29cf', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 97, '01a206ef-2c98-7a5a-81b3-f7a3d58eb37a', 'conversation.created', 'pending', 0, 0, '2026-11-23 05:44:27.562854+00', '2026-11-23 05:44:27.562854+00', NULL),
	('01a206ef-2caa-71d2-a786-aa0be934ea89', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 98, '01a206ef-2c98-7706-bcb8-9e11e108bf44', 'message.queued', 'pending', 0, 0, '2026-11-23 05:44:27.562854+00', '2026-11-23 05:44:27.562854+00', NULL),
	('01a206ef-2caa-7923-ac2a-37658051f9e7', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 99, '01a206ef-2c98-7a5a-81b3-f7a3d58eb378', 'conversation.agent_paused', 'pending', 0, 0, '2026-11-23 05:44:27.562854+00', '2026-11-23 05:44:27.562854+00', NULL),
	('01a206ef-2cbe-7178-9789-e748ea0da260', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 100, '01a206ef-2caf-7f8c-8327-56f4a42174a8', 'message.queued', 'pending', 0, 0, '2026-11-23 05:44:27.582292+00', '2026-11-23 05:44:27.582292+00', NULL),
	('01a206ef-2caa-7286-afe2-3e9b060f57ee', '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', 96, '01a206ef-2c98-7b23-a48d-1f54a97b06b9', 'contact.created', 'pending', 1, 1, '2026-11-23 05:44:32.882406+00', '2026-11-23 05:44:27.562854+00', NULL);



INSERT INTO public.webhook_endpoints VALUES
	('01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', NULL, 'http://127.83.1.2:18499/hooks', NULL, '*', 'enabled', NULL, NULL, '\x220b7c2e0147aa6d8cdb68f6de4b71c924624f964c49c61bb8f0a217e191c2c2087c30672915d8ccfa24a95fac57f3ed0709244379e75cbf2010ac36905a7b2a72f7ad5e6cee86b2d2ad3cb47e1a', NULL, NULL, '2026-11-23 05:44:16.816214+00', '2026-11-23 05:44:27.587238+00', '2026-11-23 05:44:57.592039+00', '2026-11-23 05:44:16.328336+00', '01a206ef-2c53-73a5-be37-102ffc119620');



INSERT INTO public.webhook_feeds OVERRIDING SYSTEM VALUE VALUES
	(1, '01a206ef-00c8-77e7-a380-f8d2501be381', '01a206ee-ff1b-79d3-95a6-922abb4069c4', NULL, 0, NULL, 100, false);



INSERT INTO public.write_checks VALUES
	(1, '2026-11-23 05:44:27.539733+00');



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
    ADD CONSTRAINT contacts_pkey PRIMARY KEY (organization_id, id);



ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_organization_id_contact_id_key UNIQUE (organization_id, contact_id);



ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_organization_id_phone_number_account_id_key UNIQUE (organization_id, phone_number, account_id);



ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (organization_id, id);



ALTER TABLE ONLY public.dead_callbacks
    ADD CONSTRAINT dead_callbacks_digest_key UNIQUE (digest);



ALTER TABLE ONLY public.dead_callbacks
    ADD CONSTRAINT dead_callbacks_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.event_counters
    ADD CONSTRAINT event_counters_pkey PRIMARY KEY (organization_id);



ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_id_key UNIQUE (id);



ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (organization_id, sequence);



ALTER TABLE ONLY public.fetches
    ADD CONSTRAINT fetches_pkey PRIMARY KEY (message_id);



ALTER TABLE ONLY public.form_results
    ADD CONSTRAINT form_results_pkey PRIMARY KEY (organization_id, session_digest, id);



ALTER TABLE ONLY public.handshakes
    ADD CONSTRAINT handshakes_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (key_id, path, idempotency_key);



ALTER TABLE ONLY public.instances
    ADD CONSTRAINT instances_pkey PRIMARY KEY (id);



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



ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_digest_key UNIQUE (digest);



ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_pkey PRIMARY KEY (member_id);



ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_name_key UNIQUE (name);



ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (id);



ALTER TABLE ONLY public.server_keys
    ADD CONSTRAINT server_keys_pkey PRIMARY KEY (name);



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



ALTER TABLE ONLY public.write_checks
    ADD CONSTRAINT write_checks_pkey PRIMARY KEY (id);



CREATE INDEX accounts_of_business ON public.accounts USING btree (waba_id) WHERE (waba_id IS NOT NULL);



CREATE UNIQUE INDEX accounts_on_channel ON public.accounts USING btree (phone_number_id) WHERE (phone_number_id IS NOT NULL);



CREATE UNIQUE INDEX applications_by_secret ON public.applications USING btree (secret_digest);



CREATE INDEX applications_of_organization ON public.applications USING btree (organization_id);



CREATE INDEX callbacks_due ON public.callbacks USING btree (due_at, id);



CREATE INDEX codes_by_age ON public.codes USING btree (issued_at);



CREATE UNIQUE INDEX connections_alive ON public.connections USING btree (application_id, organization_id) WHERE (state = 'connected'::text);



CREATE UNIQUE INDEX connections_by_key ON public.connections USING btree (key_id);



CREATE INDEX connections_of_organization ON public.connections USING btree (organization_id, connected_at);



CREATE INDEX consents_by_age ON public.consents USING btree (created_at);



CREATE UNIQUE INDEX contacts_by_phone_number ON public.contacts USING btree (organization_id, phone_number, account_id) WHERE (phone_number IS NOT NULL);



CREATE UNIQUE INDEX contacts_by_user_id ON public.contacts USING btree (organization_id, channel_user_id, account_id) WHERE (channel_user_id IS NOT NULL);



CREATE INDEX conversations_by_id ON public.conversations USING btree (id);



CREATE INDEX conversations_due ON public.conversations USING btree (outbox_due_at) WHERE (outbox_due_at IS NOT NULL);



CREATE INDEX conversations_held ON public.conversations USING btree (account_id, outbox_due_at) WHERE outbox_held;



CREATE INDEX conversations_merged ON public.conversations USING btree (organization_id, merged_into) WHERE (merged_into IS NOT NULL);



CREATE INDEX dead_callbacks_by_age ON public.dead_callbacks USING btree (kept_at);



CREATE INDEX dead_callbacks_by_kind ON public.dead_callbacks USING btree (kind, id);



CREATE INDEX events_by_age ON public.events USING btree (at);



CREATE INDEX fetches_due ON public.fetches USING btree (due_at);



CREATE INDEX form_results_by_age ON public.form_results USING btree (created_at);



CREATE INDEX handshakes_by_age ON public.handshakes USING btree (at);



CREATE INDEX handshakes_of_application ON public.handshakes USING btree (application_id, at);



CREATE INDEX idempotency_by_age ON public.idempotency USING btree (created_at);



CREATE UNIQUE INDEX keys_by_secret ON public.keys USING btree (secret_digest);



CREATE INDEX keys_of_organization ON public.keys USING btree (organization_id);



CREATE INDEX media_arriving ON public.media USING btree (created_at) WHERE (state = 'arriving'::text);



CREATE INDEX messages_by_position ON public.messages USING btree (conversation_id, "position");



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



ALTER TABLE ONLY public.form_results
    ADD CONSTRAINT form_results_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);



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



ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_member_id_fkey FOREIGN KEY (member_id) REFERENCES public.members(id);



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




